import { z } from "zod";

/**
 * Why a browser's sign-in ended, if known. `token-refused`: the cluster no longer accepts its token; `token-over`: the token expired;
 * `time-over`: the session expired; `signed-out`: the user signed out; `other-key`: this crdshift lacks the session's key;
 * `other-cluster`: it has been given another cluster since.
 */
export const sessionEndSchema = z.enum(["token-refused", "token-over", "time-over", "signed-out", "other-key", "other-cluster"]);
export type SessionEnd = z.infer<typeof sessionEndSchema>;

/** GET /api/session: how to sign in here, and the current sign-in. */
export const sessionSchema = z.object({
  mode: z.enum(["local", "token", "unsafe-shared-readonly"]),
  /** Whether this crdshift allows no changes at all. */
  readOnly: z.boolean(),
  signedIn: z.boolean(),
  /** The API server's name for the user; null if everyone shares one account, or the API server doesn't say. */
  user: z.string().nullable(),
  /** When the browser's session ends; null without one. */
  until: z.string().nullable(),
  /** Whether it runs in a pod, reached by a port-forward or an ingress. */
  inPod: z.boolean(),
  /** When the token in use expires; null if it doesn't say or there is none. */
  tokenUntil: z.string().nullable(),
  /** Why the request's sign-in is no longer valid here or for the cluster; null if it is valid or the reason is unknown. */
  ended: sessionEndSchema.nullable(),
  /** Context of the cluster whose tokens sign users in; null if there is none. */
  cluster: z.string().nullable(),
});
export type SessionInfo = z.infer<typeof sessionSchema>;

/** POST /api/sign-in: the secret of the sign-in link, or a bearer token of the cluster. */
export const signInSchema = z.union([
  z.strictObject({ launch: z.string().max(1_000) }),
  z.strictObject({ token: z.string().max(100_000) }),
]);
export type SignIn = z.infer<typeof signInSchema>;
