import { createHash } from "node:crypto";
import { z } from "zod";

/** What requests to a cluster are signed in with: this process's own (the kubeconfig's, or the pod's), or somebody's bearer token alone. */
export type Credentials = { kind: "own" } | { kind: "bearer"; token: string };

export const ownCredentials: Credentials = { kind: "own" };
/** Those of nobody. */
export const anonymousCredentials: Credentials = { kind: "bearer", token: "" };

/** Tells apart whose they are without giving anything of them away. */
export function credentialsId(credentials: Credentials): string {
  return credentials.kind === "own" ? "own" : createHash("sha256").update(`bearer ${credentials.token}`).digest("hex");
}

const payloadSchema = z.object({ exp: z.number() });

/** When a token says that it ends, in ms since the epoch; null for one that does not say: not every token is a JWT (RFC 7519). */
export function tokenExpiry(token: string): number | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return payloadSchema.parse(payload).exp * 1_000;
  } catch {
    return null;
  }
}
