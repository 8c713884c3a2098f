import { z } from "zod";

/**
 * Why a browser's sign-in is over, as far as that is known. `token-refused`: the cluster does not take its token any more; `token-over`: the
 * token's own time is over, `time-over`: the session's; `signed-out`: somebody signed out of it; `other-key`: this crdshift lacks its key.
 */
export const sessionEndSchema = z.enum(["token-refused", "token-over", "time-over", "signed-out", "other-key"]);
export type SessionEnd = z.infer<typeof sessionEndSchema>;

/** What GET /api/session tells: how one is let in here, and whether one is. */
export const sessionSchema = z.object({
  mode: z.enum(["local", "token", "unsafe-shared-readonly"]),
  /** Whether nothing can be changed here by anybody. */
  readOnly: z.boolean(),
  signedIn: z.boolean(),
  /** As the API server calls them; null where everybody has the rights of one account, or it would not say. */
  user: z.string().nullable(),
  /** When the browser's session ends; null without one. */
  until: z.string().nullable(),
  /** Whether it runs in a pod, which people reach by a port-forward or through an ingress. */
  inPod: z.boolean(),
  /** When the token that one is signed in with says that it ends; null where it does not say, and without one. */
  tokenUntil: z.string().nullable(),
  /** Why the sign-in that came with the request counts no more, or no more for the cluster; null where it does, or where that is not known. */
  ended: sessionEndSchema.nullable(),
  /** The context of the cluster whose tokens sign people in; null where none does. */
  cluster: z.string().nullable(),
});
export type SessionInfo = z.infer<typeof sessionSchema>;

/** POST /api/sign-in: the secret of the launch link, or a bearer token of the cluster. */
export const signInSchema = z.union([
  z.strictObject({ launch: z.string().max(1_000) }),
  z.strictObject({ token: z.string().max(100_000) }),
]);
export type SignIn = z.infer<typeof signInSchema>;
