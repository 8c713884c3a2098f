import { z } from "zod";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import { ApiError } from "#lib/queries/api-client.ts";

const refusedSchema = z.object({
  /** The unaccepted losses. */
  losses: z.array(lossSchema),
  /** Why others are unknown; null if none are. */
  unknownBecause: z.string().nullable().default(null),
  /** The dry run that found them; null if there is none. */
  dryRun: z.string().nullable().default(null),
});
export type RefusedLosses = z.infer<typeof refusedSchema>;

/** What a refused start or resume names as not accepted; null if it was refused for another reason. */
export function refusedLosses(error: Error | null): RefusedLosses | null {
  if (!(error instanceof ApiError) || error.code !== "precondition_failed") return null;
  const refused = refusedSchema.safeParse(error.details);
  return refused.success && (refused.data.losses.length > 0 || refused.data.unknownBecause !== null) ? refused.data : null;
}
