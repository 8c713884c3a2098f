import { isIPv4 } from "node:net";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Env } from "#lib/settings/env.ts";

/**
 * Who is let in, and with whose rights. `local`: whoever has the launch link or the script's token, with the kubeconfig's credentials, on
 * loopback only. `token`: everybody with a bearer token that the cluster takes, each with their own rights and nothing else.
 * `unsafe-shared-readonly`: everybody, with this process's own rights, to read.
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
 * The mode that the environment asks for. Outside of a container it is `local` unless told otherwise; in one it has to be chosen.
 * @throws Error that says what to set, where it is not chosen or can't be kept.
 */
export function modeOf(env: ModeEnv): Mode {
  const inContainer = env.CRDSHIFT_CONTAINER || isInPod(env);
  if (env.CRDSHIFT_MODE === "" && inContainer) {
    throw new Error(
      [
        "crdshift runs in a container and was not told whom to let in. Set CRDSHIFT_MODE to one of these:",
        "  token                   everybody signs in with a bearer token of their own, and has the rights of that token",
        "  unsafe-shared-readonly  everybody who reaches it reads with this pod's account, and nobody can write",
        "  local                   only for this container's own loopback",
      ].join("\n"),
    );
  }
  const mode = env.CRDSHIFT_MODE || "local";
  if (mode === "local" && !isLoopback(env.HOST)) {
    throw new Error(
      `HOST ${env.HOST} is not loopback: whoever reached it would need nothing but the launch link to act with your credentials.\nUnset HOST, or set CRDSHIFT_MODE=token, where everybody signs in with a token of their own.`,
    );
  }
  if (mode !== "local" && env.CRDSHIFT_ETCD_ENDPOINTS.length > 0) {
    throw new Error(
      `CRDSHIFT_ETCD_ENDPOINTS would show everybody who signs in what etcd holds, whatever their rights.\nUnset it, or set CRDSHIFT_MODE=local.`,
    );
  }
  if (mode !== "local" && env.CRDSHIFT_TOKEN !== "") {
    throw new Error(
      `CRDSHIFT_TOKEN signs scripts in to CRDSHIFT_MODE=local only.\nUnset it; in the mode token scripts send a token of the cluster.`,
    );
  }
  if (mode !== "token" && env.CRDSHIFT_TOKEN_HEADER !== "") {
    throw new Error(`CRDSHIFT_TOKEN_HEADER means something to CRDSHIFT_MODE=token only.\nUnset it, or set that mode.`);
  }
  return mode;
}

/** Whether a kubelet has started this process. */
export function isInPod({ KUBERNETES_SERVICE_HOST: apiServer }: Pick<Env, "KUBERNETES_SERVICE_HOST">): boolean {
  return apiServer !== "";
}

/** Whether nothing in a cluster can be changed through this process. */
export function isReadOnly(env: Env): boolean {
  return env.CRDSHIFT_READ_ONLY || modeOf(env) === "unsafe-shared-readonly";
}

/** What is known of the server only once it listens. */
interface Listening {
  port: number | null;
  /** Where people open it. */
  url: string | null;
}

/** Where this process listens; told once by the server, read by everything that makes a cookie or a link. */
export function listening(): Listening {
  return processWide("listening", () => ({ port: null, url: null }));
}

/** Whether a host's name, as in a URL or in HOST, can only be this machine: no DNS answer points it elsewhere. */
export function isLoopback(name: string): boolean {
  const host = name.toLowerCase();
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "::1" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."))
  );
}

/** Which of the origins a Host header stands for; null for none. A default port may be named or not. */
export function publicOrigin(host: string, origins: readonly string[]): string | null {
  return origins.find((origin) => URL.parse(`${origin.split(":")[0]}://${host}`)?.origin === origin) ?? null;
}
