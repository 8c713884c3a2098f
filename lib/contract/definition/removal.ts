import { z } from "zod";
import { removalActions, removalStepNames } from "#lib/domain/removal/removal-steps.ts";
import { patchStepSchema } from "./version-change.ts";

const refusalSchema = z.object({ message: z.string(), nextStep: z.string(), run: z.string().nullable() });

/** One step of removing a version from the definition. */
export const removalStepSchema = z.object({
  name: z.enum(removalStepNames),
  /** `unneeded`: never needed. `refused`: not safe yet; see the refusal. */
  state: z.enum(["done", "unneeded", "ready", "refused"]),
  /** What to do next; null when nothing is left. */
  action: z.enum(removalActions).nullable(),
  /** Why it is refused and what to do, with the blocking run, if any; null when it is not refused. */
  refusal: refusalSchema.nullable(),
  /** The step that resolves the refusal; null when none does. */
  solvedBy: z.enum(removalStepNames).nullable(),
  /** For a completed step, why it can't be undone now; null when it can. */
  undoRefusal: refusalSchema.nullable(),
  /** JSON patch that the action sends to the definition; empty when it is not a single spec patch. */
  patch: z.array(patchStepSchema),
});
export type RemovalStep = z.infer<typeof removalStepSchema>;

/** Removal progress of a version: five steps, always in the same order. */
export const removalSchema = z.object({
  version: z.string(),
  /** Why its managedFields entries can't be cleaned yet; null when they can. */
  clean: refusalSchema.nullable(),
  steps: z.array(removalStepSchema),
});
export type Removal = z.infer<typeof removalSchema>;
