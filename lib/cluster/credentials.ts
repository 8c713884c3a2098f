import { createHash } from "node:crypto";

/** What requests to a cluster are signed in with: this process's own (the kubeconfig's, or the pod's), or somebody's bearer token alone. */
export type Credentials = { kind: "own" } | { kind: "bearer"; token: string };

export const ownCredentials: Credentials = { kind: "own" };
/** Those of nobody. */
export const anonymousCredentials: Credentials = { kind: "bearer", token: "" };

/** Tells apart whose they are without giving anything of them away. */
export function credentialsId(credentials: Credentials): string {
  return credentials.kind === "own" ? "own" : createHash("sha256").update(`bearer ${credentials.token}`).digest("hex");
}
