import { z } from "zod";

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
});
export type SessionInfo = z.infer<typeof sessionSchema>;

/** POST /api/sign-in: the secret of the launch link, or a bearer token of the cluster. */
export const signInSchema = z.union([
  z.strictObject({ launch: z.string().max(1_000) }),
  z.strictObject({ token: z.string().max(100_000) }),
]);
export type SignIn = z.infer<typeof signInSchema>;
