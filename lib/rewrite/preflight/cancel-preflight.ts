import { AppError } from "#lib/contract/app-error.ts";
import type { Preflight } from "#lib/domain/preflight.ts";
import { findPreflight } from "./preflights.ts";

/** Cancels a dry run: no request is sent any more when this returns. Throws AppError conflict when it has ended. */
export async function cancelPreflight(audience: string, crdName: string, id: string): Promise<Preflight> {
  const known = findPreflight(audience, crdName, id);
  if (known.current.phase !== "running") {
    throw new AppError("conflict", `The dry run has ended: ${known.current.phase}.`, { nextStep: "There is nothing to cancel." });
  }
  known.stop.abort(new Error("cancelled"));
  await known.ended;
  return known.current;
}
