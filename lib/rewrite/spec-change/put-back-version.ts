import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { removedSpecOf, withoutRemovedVersion } from "#lib/cluster/definitions/versions/removed-version.ts";
import { versionSpecFromYaml, versionYaml } from "#lib/cluster/definitions/versions/version-yaml.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { PutBackVersionBody } from "#lib/contract/definition/version-change.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { exactText } from "#lib/domain/exact-json/exact-json.ts";
import {
  addVersionSteps,
  annotationOf,
  annotationSteps,
  REMOVED_ANNOTATION,
  type VersionSpec,
} from "#lib/domain/versions/version-change.ts";
import { putBackVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseOtherGeneration } from "#lib/rewrite/guards/refuse-other-generation.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";

/**
 * Adds a version to spec.versions, either from YAML (one entry of spec.versions, which may be new) or from the copy that removeVersion
 * saved. The version is not served, as when it was removed, and never the storage version.
 * @throws AppError invalid_input for YAML that is not such an entry, precondition_failed with the obstacle.
 */
export async function putBackVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { yaml, expectedGeneration }: PutBackVersionBody,
  signal: AbortSignal,
): Promise<Crd> {
  const given = yaml === undefined ? null : versionSpecFromYaml(yaml, version);
  const migrations = await readMigrationsOf(connection, crdName, signal);
  const { crd, exact } = await readExactCrd(connection, crdName, signal);
  refuseOtherGeneration(crd, expectedGeneration);
  const refusal = putBackVersionRefusal({ ...crd, ...migrations }, version, Date.now());
  if (refusal) throw refuse(refusal);
  const annotation = annotationOf(exact, REMOVED_ANNOTATION);
  const kept = removedSpecOf(annotation, version);
  const spec: VersionSpec | null = given ?? kept;
  if (!spec) {
    throw new AppError("precondition_failed", `The definition has no saved copy of ${version} to put back.`, {
      nextStep: "Send the YAML you saved when you removed it.",
    });
  }
  // Drop the saved copy, unless a different spec was added in its place.
  const isUsed = kept !== null && (given === null || isSame(given, kept));
  const tidied = isUsed ? annotationSteps(exact, REMOVED_ANNOTATION, withoutRemovedVersion(annotation, version)) : [];
  const added = addVersionSteps({ ...spec, served: false, storage: false });
  const written = await patchUnchangedSpec(connection, crd, [...tidied, ...added], signal);
  // Without a saved copy, nothing shows that the version was ever there.
  const message = kept
    ? `${version} was put back into spec.versions, not served.`
    : `${version} was added to spec.versions from YAML, not served.`;
  recordAction(connection, crdName, { kind: "readded", at: new Date().toISOString(), run: null, message });
  return written;
}

// Compared as YAML, because users get the saved copy as YAML, where 1.0 is 1.
function isSame(given: VersionSpec, kept: VersionSpec): boolean {
  return exactText(given) === exactText(versionSpecFromYaml(versionYaml(kept), kept.name));
}
