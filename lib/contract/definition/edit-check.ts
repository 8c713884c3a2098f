import { z } from "zod";
import { time } from "#lib/contract/time.ts";
import type { EditVerdict } from "#lib/domain/definition/edit-verdict.ts";

const verdictSchema: z.ZodType<EditVerdict> = z.discriminatedUnion("verdict", [
  z.object({ verdict: z.literal("accepted") }),
  z.object({
    verdict: z.literal("refused"),
    /** Whether a cause is the cost of validation rules in CEL. */
    isBudget: z.boolean(),
    message: z.string(),
    causes: z.array(
      z.object({
        /** Null where it is not about a single version, as for a schema that all versions share. */
        version: z.string().nullable(),
        field: z.string(),
        message: z.string(),
      }),
    ),
  }),
  z.object({ verdict: z.literal("not-tried"), because: z.string() }),
]);

/** Body of POST …/crds/{crd}/edit-check: nothing to choose. */
export const editCheckBodySchema = z.strictObject({});

/** Response of POST …/crds/{crd}/edit-check: whether the API server would accept an edit that changes only descriptions. Writes nothing. */
export const editCheckSchema = z.object({
  crd: z.string(),
  generation: z.int(),
  /** Of the API server that answered, as `v1.37.2`; null when it doesn't say. */
  serverVersion: z.string().nullable(),
  asOf: time,
  result: verdictSchema,
});
export type EditCheck = z.infer<typeof editCheckSchema>;
