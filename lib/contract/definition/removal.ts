import { z } from "zod";
import { removalActions, removalStepNames } from "#lib/domain/removal/removal.ts";
import { patchStepSchema } from "./version-change.ts";

const refusalSchema = z.object({ message: z.string(), nextStep: z.string(), run: z.string().nullable() });

/** One step of taking a version out of the definition. */
export const removalStepSchema = z.object({
  name: z.enum(removalStepNames),
  /** `unneeded`: there was never anything to do. `refused`: not safe yet, see the refusal. */
  state: z.enum(["done", "unneeded", "ready", "refused"]),
  /** What is to be done next; null where nothing is. */
  action: z.enum(removalActions).nullable(),
  /** What stands in the way and what to do, with the run in the way where one is; null when nothing does. */
  refusal: refusalSchema.nullable(),
  /** The step that takes it out of the way; null where none of these does. */
  solvedBy: z.enum(removalStepNames).nullable(),
  /** Why what was done can't be undone now, in a step that is done; null when it can. */
  undoRefusal: refusalSchema.nullable(),
  /** What the action sends to the definition as a JSON patch; empty where it is not one patch of the spec. */
  patch: z.array(patchStepSchema),
});
export type RemovalStep = z.infer<typeof removalStepSchema>;

/** Where the removal of a version stands: five steps, always in the same order. */
export const removalSchema = z.object({ version: z.string(), steps: z.array(removalStepSchema) });
export type Removal = z.infer<typeof removalSchema>;
