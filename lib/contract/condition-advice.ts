import { z } from "zod";
import { adviceTones } from "#lib/domain/advice-tone.ts";
import { nameRoles } from "#lib/domain/name-collisions.ts";

/** What a condition means and what to do: one for each condition of the definition, in their order. */
export const conditionAdviceSchema = z.object({
  type: z.string(),
  tone: z.enum(adviceTones),
  meaning: z.string(),
  /** Null when there is nothing to do. */
  nextStep: z.string().nullable(),
  /** Names that it asks for and does not get, and the definition that has each; empty but for NamesAccepted. */
  collisions: z.array(
    z.object({
      role: z.enum(nameRoles),
      name: z.string(),
      heldBy: z.object({ crd: z.string(), role: z.enum(nameRoles) }),
    }),
  ),
});
export type ConditionAdvice = z.infer<typeof conditionAdviceSchema>;
