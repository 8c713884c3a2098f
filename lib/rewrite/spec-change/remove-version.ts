import type { Connection } from "#lib/cluster/connection/connection.ts";
import { withRememberedCount } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { withRemovedVersion } from "#lib/cluster/definitions/versions/removed-version.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { objectPages } from "#lib/cluster/objects/object-pages.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { AppError, errorWords } from "#lib/contract/app-error.ts";
import type { RemoveVersionBody } from "#lib/contract/definition/version-change.ts";
import { removalSentence } from "#lib/domain/audit/history.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import { type Crd, readingVersion } from "#lib/domain/definition/crd.ts";
import { roomForAnnotation } from "#lib/domain/record/record-room.ts";
import { cleanRefusal } from "#lib/domain/removal/clean-refusal.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { annotationOf, annotationSteps } from "#lib/domain/versions/patch-step.ts";
import { removeVersionSteps } from "#lib/domain/versions/version-change.ts";
import { removeVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { REMOVED_ANNOTATION, versionSpec } from "#lib/domain/versions/version-spec.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseWhatEtcdDisproves } from "#lib/rewrite/guards/refuse-what-etcd-disproves.ts";
import { refuseOthersObjects } from "#lib/rewrite/guards/require-own-objects.ts";
import { refuseWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange } from "./read-for-change.ts";

/**
 * Removes a version that is no longer needed from spec.versions, with the resourceVersion that the checks saw. The same write saves its
 * entry in an annotation for putBackVersion, unless it is too large. If this cluster's etcd is configured, it first counts the objects
 * there.
 * @throws AppError invalid_input for a wrong confirmation; precondition_failed with the obstacle, or with `details.managedFields` if
 * objects' managedFields name the version.
 */
export async function removeVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { confirm, acceptManagedFields, expectedGeneration }: RemoveVersionBody,
  signal: AbortSignal,
): Promise<Crd> {
  if (confirm !== version) {
    throw new AppError("invalid_input", "The confirmation doesn't match the version's name.", {
      nextStep: `Send {"confirm": "${version}"}.`,
    });
  }
  const refusalOf = (crd: Crd) => removeVersionRefusal(crd, version, Date.now());
  const { uncounted } = await refuseWhatEtcdDisproves(connection, crdName, refusalOf, signal);
  const by = knownUser(await whoAmI(connection, signal));
  const note = fleetOf(connection).beginRead();
  const { crd, exact } = await readForChange(connection, crdName, expectedGeneration, signal);
  note(crd);
  const { shrankWithoutProof = [] } = fleetOf(connection).crd(crdName) ?? {};
  const refusal = refusalOf({ ...withRememberedCount(connection, crd), shrankWithoutProof }) ?? uncounted;
  if (refusal) throw refuse(refusal);
  refuseWhileCleaning(connection, crd);
  await refuseOthersObjects(connection, crd, signal);
  if (!acceptManagedFields) await refuseNamedInManagedFields(connection, crd, version, signal);

  const removedAt = new Date().toISOString();
  const spec = versionSpec(exact, version);
  const annotation = annotationOf(exact, REMOVED_ANNOTATION);
  const room = roomForAnnotation(crd, REMOVED_ANNOTATION, annotation);
  const keep = spec
    ? annotationSteps(exact, REMOVED_ANNOTATION, withRemovedVersion(annotation, { version, removedAt, by }, spec, room))
    : [];
  const steps = [...keep, ...removeVersionSteps(crd, version)];
  const action = { kind: "removed", at: removedAt, run: null, versions: [version], message: removalSentence(version) } as const;
  return patchUnchangedSpec(connection, crd, { steps, action }, signal);
}

const WITHIN_MS = 20_000;

/**
 * Looks for an object whose managedFields name the version before its removal: afterward, every server-side apply to that object would
 * fail (github.com/kubernetes/kubernetes/issues/111937).
 * @throws AppError precondition_failed with `details.managedFields` if there is one, or if the check takes more than 20 s or fails.
 */
async function refuseNamedInManagedFields(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<void> {
  const consequence = `Once ${version} is gone, server-side apply fails for objects whose managedFields name it`;
  const unchecked = (why: string) =>
    refusal(crd, version, { message: `${consequence}. crdshift couldn't check whether there are any. ${why}`, found: null });
  const reading = readingVersion(crd)?.name;
  // One may be served again later.
  if (!reading) throw unchecked("No version is served.");
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  let found: ObjectName | null;
  try {
    found = await firstNaming(connection, crd, { version, reading, signal: deadline });
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.aborted ? "There are too many objects to check in 20 s." : errorWords(error);
    throw unchecked(why);
  }
  if (found) {
    throw refusal(crd, version, { message: `${consequence}, such as ${fullName(found)}.`, found });
  }
}

function refusal(crd: Crd, version: string, { message, found }: { message: string; found: ObjectName | null }): AppError {
  const first = cleanRefusal(crd, version, Date.now());
  const clean = first ? `${first.nextStep} Then clean the entries of ${version}` : `Clean the entries of ${version} first`;
  return new AppError("precondition_failed", message, {
    nextStep: `${clean}, or accept this (acceptManagedFields) and clean them right after the removal.`,
    details: { managedFields: found ? [found] : [] },
  });
}

async function firstNaming(
  connection: Connection,
  crd: Crd,
  { version, reading, signal }: { version: string; reading: string; signal: AbortSignal },
): Promise<ObjectName | null> {
  for await (const page of objectPages(connection, crd, { version: reading, signal })) {
    const named = page.objects.find(({ writes }) => writes.some((write) => write.version === version));
    if (named) return { namespace: named.namespace, name: named.name };
  }
  return null;
}
