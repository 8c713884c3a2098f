import type { Connection } from "#lib/cluster/connection/connection.ts";
import { patchSpec } from "#lib/cluster/definitions/crds.ts";
import { type ClusterAnswer, clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isAdmissionDenial } from "#lib/cluster/transport/refused-writes.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { VersionChangeBody, VersionChangePreview } from "#lib/contract/definition/version-change.ts";
import { versionChangeSteps } from "#lib/domain/versions/version-change.ts";
import { versionChangeEffects } from "#lib/domain/versions/version-change-effects.ts";
import { versionChangeRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { readForChange, refuseUnknownVersion } from "./read-for-change.ts";

/**
 * The patch and effects of changing a version's flags, and the API server's answer to a dry run of it. Writes nothing.
 * @throws AppError not_found for a version that is not in the spec, precondition_failed if the generation is not the expected one, and
 * the errors of a dry run that the API server doesn't answer.
 */
export async function previewVersionChange(
  connection: Connection,
  crdName: string,
  version: string,
  { expectedGeneration, acceptLosses: _, ...change }: VersionChangeBody,
  signal: AbortSignal,
): Promise<VersionChangePreview> {
  const { crd } = await readForChange(connection, crdName, expectedGeneration, signal);
  refuseUnknownVersion(crd, version);
  const patch = versionChangeSteps(crd, version, change);
  const refusal = versionChangeRefusal(crd, version, change, Date.now());
  return {
    generation: crd.generation,
    patch,
    effects: patch.length > 0 ? versionChangeEffects(crd, version, change) : [],
    refusal: refusal && `${refusal.message} ${refusal.nextStep}`,
    rejection: refusal === null ? await rejectionOf(() => patchSpec(connection, crdName, patch, { dryRun: true, signal })) : null,
  };
}

async function rejectionOf(tryIt: () => Promise<unknown>): Promise<VersionChangePreview["rejection"]> {
  try {
    await tryIt();
    return null;
  } catch (error) {
    const answer = clusterAnswer(error);
    if (!answer || !isAboutChange(answer)) throw error;
    return { message: errorWords(error), fields: answer.fields };
  }
}

/** Whether it tells what the API server makes of the change, and not that it can't answer now. Webhooks choose any status for their no. */
function isAboutChange(answer: ClusterAnswer): boolean {
  return isAdmissionDenial(answer) || !([401, 408, 409, 429].includes(answer.status) || answer.status >= 500);
}
