import { z } from "zod";
import { guardedActions, type NeededRight } from "#lib/domain/rewrite/needed-rights.ts";

const rightSchema = z.object({
  verb: z.enum(["list", "get", "patch", "watch", "create", "delete"]),
  group: z.string(),
  resource: z.string(),
  subresource: z.string().exactOptional(),
  name: z.string().exactOptional(),
  why: z.string(),
}) satisfies z.ZodType<NeededRight>;

/**
 * `details` of a 403 when the definitions themselves are denied, so nothing of the cluster can be shown: the missing verb, and the user
 * that the cluster identified.
 */
export const definitionsDeniedSchema = z.object({
  definitionsDenied: z.object({ verb: z.enum(["list", "watch"]), user: z.string().nullable() }),
});
export type DefinitionsDenied = z.infer<typeof definitionsDeniedSchema>["definitionsDenied"];

/** GET rights: for each action, the permissions that the caller lacks. */
export const rightsSchema = z.object({
  missing: z.record(z.enum(guardedActions), z.array(rightSchema)),
  /** When the cluster was asked, up to 30 seconds ago. */
  asOf: z.string(),
});
export type Rights = z.infer<typeof rightsSchema>;
