import type { Connection } from "#lib/cluster/connection/connection.ts";
import { droppedConversionText } from "#lib/cluster/conversion/conversion-from-json.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { DropConversionBody } from "#lib/contract/definition/conversion.ts";
import { conversionDropSentence } from "#lib/domain/audit/history.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import { conversionSpec, DROPPED_ANNOTATION, dropConversionSteps } from "#lib/domain/conversion/conversion-change.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { annotationSteps } from "#lib/domain/versions/patch-step.ts";
import { dropConversionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange } from "./read-for-change.ts";

/**
 * Sets conversion to None when a single version is left, which needs no webhook. The same write saves the old configuration in an
 * annotation for putBackConversion.
 * @throws AppError precondition_failed with the obstacle.
 */
export async function dropConversion(
  connection: Connection,
  crdName: string,
  { expectedGeneration }: DropConversionBody,
  signal: AbortSignal,
): Promise<Crd> {
  const by = knownUser(await whoAmI(connection, signal));
  const { crd, exact } = await readForChange(connection, crdName, expectedGeneration, signal);
  const refusal = dropConversionRefusal(crd, Date.now());
  if (refusal) throw refuse(refusal);

  const droppedAt = new Date().toISOString();
  const target = crd.conversion.strategy === "Webhook" ? crd.conversion.target : "";
  const kept = droppedConversionText({ droppedAt, by }, conversionSpec(exact) ?? null);
  if (kept === null) {
    throw new AppError("precondition_failed", "The webhook's configuration is too large to keep for an undo, even compressed.", {
      nextStep: "Save the definition, then set spec.conversion to {strategy: None} in the definition's source.",
    });
  }
  const steps = [...annotationSteps(exact, DROPPED_ANNOTATION, kept), ...dropConversionSteps()];
  const action = { kind: "unconverted", at: droppedAt, run: null, message: conversionDropSentence(target) } as const;
  return patchUnchangedSpec(connection, crd, { steps, action }, signal);
}
