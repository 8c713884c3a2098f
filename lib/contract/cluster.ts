import { z } from "zod";

export const clusterSchema = z.object({
  /** The context's name, or `in-cluster`. */
  name: z.string(),
  server: z.string(),
  /** Whether it is the default. */
  current: z.boolean(),
  /** Null: not tried yet. */
  reachable: z.boolean().nullable(),
  /** Why not: unreachable, credentials refused, no permission, or an invalid context. */
  failure: z.enum(["unreachable", "credentials-refused", "forbidden", "unusable"]).nullable(),
  /** The failure for people, and what to do. */
  message: z.string().nullable(),
  /** As `v1.37.2`; null when not reachable. */
  version: z.string().nullable(),
  readOnly: z.boolean(),
});
export type Cluster = z.infer<typeof clusterSchema>;

export const clusterListSchema = z.object({ clusters: z.array(clusterSchema) });
