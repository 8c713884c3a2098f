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
 * `details` of a 403 where the definitions themselves are denied, so that nothing of the cluster can be shown: the verb that is missing, and
 * whom the cluster took the request for.
 */
export const definitionsDeniedSchema = z.object({
  definitionsDenied: z.object({ verb: z.enum(["list", "watch"]), user: z.string().nullable() }),
});
export type DefinitionsDenied = z.infer<typeof definitionsDeniedSchema>["definitionsDenied"];

/** GET rights: for each action the rights that whoever asks lacks for it. */
export const rightsSchema = z.object({
  missing: z.record(z.enum(guardedActions), z.array(rightSchema)),
  /** When the cluster was asked; up to half a minute ago. */
  asOf: z.string(),
});
export type Rights = z.infer<typeof rightsSchema>;
