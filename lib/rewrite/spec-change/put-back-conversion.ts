import type { Connection } from "#lib/cluster/connection/connection.ts";
import { droppedConversionOf, droppedConversionSpecOf } from "#lib/cluster/conversion/conversion-from-json.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { PutBackConversionBody } from "#lib/contract/definition/conversion.ts";
import { DROPPED_ANNOTATION, putBackConversionSteps } from "#lib/domain/conversion/conversion-change.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { annotationOf, annotationSteps } from "#lib/domain/versions/patch-step.ts";
import { putBackConversionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange } from "./read-for-change.ts";

/**
 * Puts back the conversion webhook that dropConversion saved.
 * @throws AppError precondition_failed with the obstacle.
 */
export async function putBackConversion(
  connection: Connection,
  crdName: string,
  { expectedGeneration }: PutBackConversionBody,
  signal: AbortSignal,
): Promise<Crd> {
  const { crd, exact } = await readForChange(connection, crdName, expectedGeneration, signal);
  const refusal = putBackConversionRefusal(crd, Date.now());
  if (refusal) throw refuse(refusal);
  const annotation = annotationOf(exact, DROPPED_ANNOTATION);
  const dropped = droppedConversionOf(annotation);
  const kept = droppedConversionSpecOf(annotation);
  if (dropped === null || kept === null) {
    throw new AppError("precondition_failed", "The definition has no saved conversion webhook to put back.", {
      nextStep: "Set spec.conversion in the definition's source.",
    });
  }
  const steps = [...annotationSteps(exact, DROPPED_ANNOTATION, null), ...putBackConversionSteps(kept)];
  const message = `The conversion webhook at ${dropped.target} was put back.`;
  const action = { kind: "reconverted", at: new Date().toISOString(), run: null, message } as const;
  return patchUnchangedSpec(connection, crd, { steps, action }, signal);
}
