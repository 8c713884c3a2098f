import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import type { Env } from "#lib/settings/env.ts";

/** What etcd is signed in with, as PEM; what is left out is not needed or Node's own. */
export interface EtcdCredentials {
  ca?: string;
  cert?: string;
  key?: string;
}

const files = { ca: "CRDSHIFT_ETCD_CACERT", cert: "CRDSHIFT_ETCD_CERT", key: "CRDSHIFT_ETCD_KEY" } as const;

/**
 * The content of the files that the environment names, read afresh, since they may be renewed.
 * @throws AppError invalid_input for a file that can't be read, and for content that is no certificate or doesn't fit its key.
 */
export function readEtcdCredentials(env: Env): EtcdCredentials {
  const credentials: EtcdCredentials = {};
  for (const part of ["ca", "cert", "key"] as const) {
    const file = env[files[part]];
    if (file) credentials[part] = readPem(files[part], file);
  }
  try {
    // A secure context takes any text for authorities.
    if (credentials.ca) new X509Certificate(credentials.ca);
    createSecureContext(credentials);
  } catch (error) {
    throw new AppError("invalid_input", `The certificates of ${Object.values(files).join(", ")} can't be used.`, {
      clusterMessage: errorMessage(error),
      nextStep: "They must be PEM files, and the key that of the certificate. Correct them, or unset the variables.",
      cause: error,
    });
  }
  return credentials;
}

function readPem(variable: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AppError("invalid_input", `${variable}: the file ${file} can't be read.`, {
      clusterMessage: errorMessage(error),
      nextStep: `Set ${variable} to a PEM file that this process may read, or unset it.`,
      cause: error,
    });
  }
}
