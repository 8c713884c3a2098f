import { z } from "zod";

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
