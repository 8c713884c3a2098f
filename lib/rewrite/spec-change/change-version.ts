import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { VersionChangeBody } from "#lib/contract/definition/version-change.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { acceptedFlipSentence, acceptsFlip, flipRefusal, flipSampleSentence, flipsUnconverted } from "#lib/domain/versions/storage-flip.ts";
import { versionChangeSteps } from "#lib/domain/versions/version-change.ts";
import { versionChangeKind, versionChangeSentence } from "#lib/domain/versions/version-change-effects.ts";
import { versionChangeRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { flipLosses } from "./flip-losses.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange, refuseUnknownVersion } from "./read-for-change.ts";

/** The definition as changed. `warning`: how many objects were checked for losses, if not all; null otherwise. */
export type ChangedVersion = Crd & { warning: string | null };

/**
 * Changes a version's flags: served, storage, deprecated and its warning, with the resourceVersion that the checks saw. If that moves
 * the storage flag and the conversion strategy is None, it first checks objects for losses: all, or a sample of 200, for at most 20
 * seconds.
 * @throws AppError not_found for a version that is not in the spec; precondition_failed with the obstacle, and with `details.losses` for
 * losses that are not accepted; cluster_rejected with `details.fields` for fields that the API server rejects.
 */
export async function changeVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { expectedGeneration, acceptLosses, ...change }: VersionChangeBody,
  signal: AbortSignal,
): Promise<ChangedVersion> {
  const { crd } = await readForChange(connection, crdName, expectedGeneration, signal);
  refuseUnknownVersion(crd, version);
  const refusal = versionChangeRefusal(crd, version, change, Date.now());
  if (refusal) throw refuse(refusal);
  refuseWhileCleaning(connection, crd);
  const lost = flipsUnconverted(crd, version, change) ? await flipLosses(connection, crd, version, signal) : null;
  const held = lost && !acceptsFlip(lost, acceptLosses) ? flipRefusal(lost) : null;
  if (held) {
    throw new AppError("precondition_failed", held.message, { nextStep: held.nextStep, details: { losses: held.losses } });
  }
  const sample = lost && flipSampleSentence(lost);
  const message = [versionChangeSentence(crd, version, change), lost && acceptedFlipSentence(lost), sample].filter(Boolean).join(" ");
  const kind = versionChangeKind(crd, version, change);
  const action = { kind, at: new Date().toISOString(), run: null, versions: [version], message };
  const written = await patchUnchangedSpec(connection, crd, { steps: versionChangeSteps(crd, version, change), action }, signal);
  return { ...written, warning: sample && `${sample} What the others would lose is unknown.` };
}
