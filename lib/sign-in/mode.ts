import { isIPv4 } from "node:net";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Env } from "#lib/settings/env.ts";

/**
 * Who may sign in, and with whose permissions. `local`: anyone with the sign-in link or the script token, with the kubeconfig's
 * credentials, on loopback only. `token`: anyone with a bearer token that the cluster accepts, with only their own permissions.
 * `unsafe-shared-readonly`: everyone, to read with this process's permissions.
 */
export type Mode = "local" | "token" | "unsafe-shared-readonly";

type ModeEnv = Pick<
  Env,
  | "CRDSHIFT_MODE"
  | "CRDSHIFT_CONTAINER"
  | "KUBERNETES_SERVICE_HOST"
  | "HOST"
  | "CRDSHIFT_ETCD_ENDPOINTS"
  | "CRDSHIFT_TOKEN"
  | "CRDSHIFT_TOKEN_HEADER"
>;

/**
 * The mode from the environment. Outside a container it defaults to `local`; inside one it must be set.
 * @throws Error with what to set, if the mode is missing or conflicts with other settings.
 */
export function modeOf(env: ModeEnv): Mode {
  const inContainer = env.CRDSHIFT_CONTAINER || isInPod(env);
  if (env.CRDSHIFT_MODE === "" && inContainer) {
    throw new Error(
      [
        "crdshift is running in a container and needs to know who may sign in. Set CRDSHIFT_MODE to one of these:",
        "  token                   each user signs in with their own bearer token, and has that token's permissions",
        "  unsafe-shared-readonly  anyone who can reach it reads with this pod's account, and no one can write",
        "  local                   only on this container's loopback",
      ].join("\n"),
    );
  }
  const mode = env.CRDSHIFT_MODE || "local";
  if (mode === "local" && !isLoopback(env.HOST)) {
    throw new Error(
      `HOST ${env.HOST} is not loopback: anyone who can reach it would need only the sign-in link to act with your credentials.\nUnset HOST, or set CRDSHIFT_MODE=token, where each user signs in with their own token.`,
    );
  }
  if (mode !== "local" && env.CRDSHIFT_ETCD_ENDPOINTS.length > 0) {
    throw new Error(
      `CRDSHIFT_ETCD_ENDPOINTS would show what etcd holds to everyone who signs in, whatever their permissions.\nUnset it, or set CRDSHIFT_MODE=local.`,
    );
  }
  if (mode !== "local" && env.CRDSHIFT_TOKEN !== "") {
    throw new Error(
      `CRDSHIFT_TOKEN signs in scripts only with CRDSHIFT_MODE=local.\nUnset it; with CRDSHIFT_MODE=token, scripts send a cluster token.`,
    );
  }
  if (mode !== "token" && env.CRDSHIFT_TOKEN_HEADER !== "") {
    throw new Error(`CRDSHIFT_TOKEN_HEADER works only with CRDSHIFT_MODE=token.\nUnset it, or set that mode.`);
  }
  return mode;
}

/** Whether a kubelet started this process. */
export function isInPod({ KUBERNETES_SERVICE_HOST: apiServer }: Pick<Env, "KUBERNETES_SERVICE_HOST">): boolean {
  return apiServer !== "";
}

/** Whether this process allows no changes to a cluster. */
export function isReadOnly(env: Env): boolean {
  return env.CRDSHIFT_READ_ONLY || modeOf(env) === "unsafe-shared-readonly";
}

/** Known only once the server is listening. */
interface Listening {
  port: number | null;
  /** Where people open it. */
  url: string | null;
}

/** Where this process listens; set once by the server, read by all code that makes cookies or links. */
export function listening(): Listening {
  return processWide("listening", () => ({ port: null, url: null }));
}

/** Whether a host name from a URL or HOST can only mean this machine, whatever DNS answers. */
export function isLoopback(name: string): boolean {
  const host = name.toLowerCase();
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))
  );
}

/** The origin that a Host header matches, with or without a default port; null if none. */
export function publicOrigin(host: string, origins: readonly string[]): string | null {
  return origins.find((origin) => URL.parse(`${origin.split(":")[0]}://${host}`)?.origin === origin) ?? null;
}
