import { z } from "zod";
import { objectNameSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";

/** GET …/crds/{crd}/finalizers: what holds the objects of a definition, and so the definition once it is deleted. */
export const finalizersSchema = z.object({
  /** Objects that there are now. */
  total: z.int(),
  /** How many of them were looked at; all the rest tells of these only. */
  read: z.int(),
  /** Those that are not marked for deletion. */
  notDeleted: z.int(),
  /** Those without a finalizer: nothing but their deletion is missing. */
  free: z.int(),
  /** The one with the most objects first. */
  finalizers: z.array(z.object({ finalizer: z.string(), objects: z.int(), examples: z.array(objectNameSchema) })),
  /** Finalizers beyond those listed. */
  moreFinalizers: z.int(),
  asOf: time,
});
export type Finalizers = z.infer<typeof finalizersSchema>;
