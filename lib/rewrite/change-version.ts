import type { Connection } from "#lib/cluster/connection.ts";
import type { VersionChangeBody } from "#lib/contract/version-change.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { versionChangeSteps } from "#lib/domain/version-change.ts";
import { versionChangeRefusal } from "#lib/domain/version-change-refusal.ts";
import { versionChangeSentence } from "#lib/domain/version-change-sentence.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange } from "./read-for-change.ts";
import { recordAction } from "./record-action.ts";
import { refuse } from "./refuse.ts";

/**
 * Changes a version's flags: served, storage, deprecated and its warning, under the resourceVersion on which it was decided.
 * @throws AppError precondition_failed with what stands in the way, cluster_rejected with `details.fields` for what the API server refuses.
 */
export async function changeVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { expectedGeneration, ...change }: VersionChangeBody,
  signal: AbortSignal,
): Promise<Crd> {
  const crd = await readForChange(connection, crdName, expectedGeneration, signal);
  const refusal = versionChangeRefusal(crd, version, change, Date.now());
  if (refusal) throw refuse(refusal);
  const written = await patchUnchangedSpec(connection, crd, versionChangeSteps(crd, version, change), signal);
  const message = versionChangeSentence(crd, version, change);
  recordAction(connection, crdName, { kind: "changed", at: new Date().toISOString(), run: null, message });
  return written;
}
