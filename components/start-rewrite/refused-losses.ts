import { z } from "zod";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { ApiError } from "#lib/queries/api-client.ts";

/** The unaccepted losses that a refused start names; null if it was refused for another reason. */
export function refusedLosses(error: Error | null): Loss[] | null {
  if (!(error instanceof ApiError) || error.code !== "precondition_failed") return null;
  const losses = z.array(lossSchema).safeParse(error.details?.losses);
  return losses.success && losses.data.length > 0 ? losses.data : null;
}

/** The id of the dry run that found the losses of a refused start; null if there is none. */
export function refusedDryRun(error: Error | null): string | null {
  const id = error instanceof ApiError ? error.details?.dryRun : null;
  return typeof id === "string" ? id : null;
}
