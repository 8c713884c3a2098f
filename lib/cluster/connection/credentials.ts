import { createHash } from "node:crypto";
import { z } from "zod";

/** The credentials of requests to a cluster: this process's own (from the kubeconfig or the pod), or one person's bearer token. */
export type Credentials = { kind: "own" } | { kind: "bearer"; token: string };

export const ownCredentials: Credentials = { kind: "own" };
/** No credentials at all. */
export const anonymousCredentials: Credentials = { kind: "bearer", token: "" };

/** Identifies credentials without revealing them. */
export function credentialsId(credentials: Credentials): string {
  return credentials.kind === "own" ? "own" : createHash("sha256").update(`bearer ${credentials.token}`).digest("hex");
}

/** Identifies the credentials with this id at a context. */
export function audienceOf(context: string, id: string): string {
  return `${context}\n${id}`;
}

/** The context of that. */
export function contextOf(audience: string): string {
  return audience.slice(0, audience.lastIndexOf("\n"));
}

const payloadSchema = z.object({ exp: z.number() });

/** A token's expiry in ms since the epoch; null if it doesn't say, since not every token is a JWT (RFC 7519). */
export function tokenExpiry(token: string): number | null {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    return payloadSchema.parse(payload).exp * 1_000;
  } catch {
    return null;
  }
}
