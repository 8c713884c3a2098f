import type { Connection } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/read-migrations-of.ts";
import type { VersionChangeBody } from "#lib/contract/version-change.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { versionChangeSteps } from "#lib/domain/version-change.ts";
import { versionChangeRefusal } from "#lib/domain/version-change-refusal.ts";
import { versionChangeSentence } from "#lib/domain/version-change-sentence.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { recordAction } from "./record-action.ts";
import { refuse } from "./refuse.ts";
import { refuseOtherGeneration } from "./refuse-other-generation.ts";

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
  const { crd } = await readCrd(connection, crdName, signal);
  const migrations = await readMigrationsOf(connection, crdName, signal);
  refuseOtherGeneration(crd, expectedGeneration);
  const refusal = versionChangeRefusal({ ...crd, ...migrations }, version, change, Date.now());
  if (refusal) throw refuse(refusal);
  const written = await patchUnchangedSpec(connection, crd, versionChangeSteps(crd, version, change), signal);
  const message = versionChangeSentence(crd, version, change);
  recordAction(connection, crdName, { kind: "changed", at: new Date().toISOString(), run: null, message });
  return written;
}
