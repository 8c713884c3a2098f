import type { Connection } from "#lib/cluster/connection.ts";
import { readExactCrd } from "#lib/cluster/crds.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/read-migrations-of.ts";
import { withRemovedVersion } from "#lib/cluster/removed-version.ts";
import { whoAmI } from "#lib/cluster/who-am-i.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { RemoveVersionBody } from "#lib/contract/version-change.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { removalSentence } from "#lib/domain/history.ts";
import { knownUser } from "#lib/domain/known-user.ts";
import { removeVersionSteps } from "#lib/domain/version-change.ts";
import { removeVersionRefusal } from "#lib/domain/version-change-refusal.ts";
import { annotationOf, annotationSteps, REMOVED_ANNOTATION, versionSpec } from "#lib/domain/version-spec.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { recordAction } from "./record-action.ts";
import { refuse } from "./refuse.ts";
import { refuseNamedInManagedFields } from "./refuse-named-in-managed-fields.ts";
import { refuseOtherGeneration } from "./refuse-other-generation.ts";
import { refuseWhatEtcdDisproves } from "./refuse-what-etcd-disproves.ts";

/**
 * Takes a version out of spec.versions that nothing needs any more, under the resourceVersion on which that was decided. In the same
 * write its entry is kept in an annotation, from which putBackVersion takes it again, unless it is too large for one. Where this
 * cluster's etcd is configured, objects are counted there first.
 * @throws AppError invalid_input for a wrong confirmation, precondition_failed with what stands in the way, or with
 * `details.managedFields` when objects' managedFields name the version.
 */
export async function removeVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { confirm, acceptManagedFields, expectedGeneration }: RemoveVersionBody,
  signal: AbortSignal,
): Promise<Crd> {
  if (confirm !== version) {
    throw new AppError("invalid_input", "The confirmation is not the version's name.", { nextStep: `Send {"confirm": "${version}"}.` });
  }
  const migrations = await readMigrationsOf(connection, crdName, signal);
  await refuseWhatEtcdDisproves(connection, crdName, (crd) => removeVersionRefusal(crd, version, Date.now()), signal);
  const by = knownUser(await whoAmI(connection, signal));
  const { crd, exact } = await readExactCrd(connection, crdName, signal);
  refuseOtherGeneration(crd, expectedGeneration);
  fleetOf(connection).noteCrd(crd);
  const { shrankWithoutProof = [], etcdCount = null } = fleetOf(connection).crd(crdName) ?? {};
  const refusal = removeVersionRefusal({ ...crd, ...migrations, shrankWithoutProof, etcdCount }, version, Date.now());
  if (refusal) throw refuse(refusal);
  if (!acceptManagedFields) await refuseNamedInManagedFields(connection, crd, version, signal);

  const removedAt = new Date().toISOString();
  const spec = versionSpec(exact, version);
  const kept = spec && withRemovedVersion(annotationOf(exact, REMOVED_ANNOTATION), { version, removedAt, by }, spec);
  const keep = annotationSteps(exact, REMOVED_ANNOTATION, kept);
  const written = await patchUnchangedSpec(connection, crd, [...keep, ...removeVersionSteps(crd, version)], signal);
  recordAction(connection, crdName, { kind: "removed", at: removedAt, run: null, message: removalSentence(version) });
  return written;
}
