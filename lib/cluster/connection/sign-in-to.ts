import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";

const SIGN_IN_TIMEOUT_MS = 60_000;

/** What authenticates to a cluster: at the handshake, and with each request. */
export interface SignIn {
  tls: {
    ca?: RequestOptions["ca"];
    cert?: RequestOptions["cert"];
    key?: RequestOptions["key"];
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  headers: Record<string, string>;
}

/**
 * What a context's credentials are now. Runs exec plugins and reads files.
 * @throws AppError unauthenticated if they can't be used.
 */
export async function signInTo(name: string, config: KubeConfig): Promise<SignIn> {
  const options: RequestOptions = {};
  let fileToken: string | null = null;
  try {
    fileToken = tokenInFile(config);
    // An exec plugin may wait for user input.
    await untilAborted(config.applyToHTTPSOptions(options), AbortSignal.timeout(SIGN_IN_TIMEOUT_MS));
  } catch (error) {
    throw new AppError("unauthenticated", `The credentials for the context ${name} can't be used.`, {
      clusterMessage: errorMessage(error),
      nextStep: "Sign in again with your provider's CLI, then retry; `kubectl get ns` with the same context must work.",
      cause: error,
    });
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(options.headers ?? {})) headers[header.toLowerCase()] = String(value);
  if (fileToken !== null) headers.authorization = `Bearer ${fileToken}`;
  if (options.auth) headers.authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return {
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    headers,
  };
}

// client-node caches a file's token for a minute, even one that was just rejected, and keeps its line break.
function tokenInFile(config: KubeConfig): string | null {
  const file: unknown = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  if (typeof file !== "string") return null;
  const token = readFileSync(file, "utf8").trim();
  // A file is often emptied before its new token is written.
  if (!token) throw new Error(`The token file ${file} is empty.`);
  return token;
}
