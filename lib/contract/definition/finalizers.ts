import { z } from "zod";
import { objectNameSchema } from "#lib/contract/object-name.ts";
import { time } from "#lib/contract/time.ts";

/** How many finalizers beyond those listed are counted. */
export const MOST_MORE_FINALIZERS = 1_000;

/** GET …/crds/{crd}/finalizers: finalizers that block deleting the objects of a definition, and so the definition itself. */
export const finalizersSchema = z.object({
  total: z.int(),
  /** Objects that were read; the other fields cover only these. */
  read: z.int(),
  /** Objects not marked for deletion. */
  notDeleted: z.int(),
  /** Objects without a finalizer, which only need to be deleted. */
  free: z.int(),
  /** Most objects first. */
  finalizers: z.array(z.object({ finalizer: z.string(), objects: z.int(), examples: z.array(objectNameSchema) })),
  /** Finalizers beyond those listed; 1,000 means 1,000 or more. */
  moreFinalizers: z.int(),
  asOf: time,
});
export type Finalizers = z.infer<typeof finalizersSchema>;
