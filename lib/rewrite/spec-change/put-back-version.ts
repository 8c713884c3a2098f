import type { Connection } from "#lib/cluster/connection/connection.ts";
import { removedSpecOf, withoutRemovedVersion } from "#lib/cluster/definitions/versions/removed-version.ts";
import { versionSpecFromYaml, versionYaml } from "#lib/cluster/definitions/versions/version-yaml.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { PutBackVersionBody } from "#lib/contract/definition/version-change.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { exactText } from "#lib/domain/exact-json/exact-json.ts";
import { annotationOf, annotationSteps } from "#lib/domain/versions/patch-step.ts";
import { putBackVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { addVersionSteps, REMOVED_ANNOTATION, type VersionSpec } from "#lib/domain/versions/version-spec.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { readForChange } from "./read-for-change.ts";

const DENIED = { message: "You can't patch the definition, so you can't add a version." };

/**
 * Adds a version to spec.versions, either from YAML (one entry of spec.versions, which may be new) or from the copy that removeVersion
 * saved. The version is not served, as when it was removed, and never the storage version.
 * @throws AppError precondition_failed with the obstacle, forbidden without the right to patch, invalid_input for YAML that is not such an
 * entry.
 */
export async function putBackVersion(
  connection: Connection,
  crdName: string,
  version: string,
  { yaml, expectedGeneration }: PutBackVersionBody,
  signal: AbortSignal,
): Promise<Crd> {
  const { crd, exact } = await readForChange(connection, crdName, expectedGeneration, signal);
  const refusal = putBackVersionRefusal(crd, version, Date.now());
  if (refusal) throw refuse(refusal);
  // Reading YAML may take seconds.
  if (yaml !== undefined) await requirePatchRight(connection, crdName, DENIED, signal);
  const given = yaml === undefined ? null : await versionSpecFromYaml(connection.person(), yaml, version, signal);
  const annotation = annotationOf(exact, REMOVED_ANNOTATION);
  const kept = removedSpecOf(annotation, version);
  const spec: VersionSpec | null = given ?? kept;
  if (!spec) {
    throw new AppError("precondition_failed", `The definition has no saved copy of ${version} to put back.`, {
      nextStep: "Send the YAML you saved when you removed it.",
    });
  }
  // Drop the saved copy, unless a different spec was added in its place.
  const isUsed = kept !== null && (given === null || (await isSame(connection.person(), given, kept, signal)));
  const tidied = isUsed ? annotationSteps(exact, REMOVED_ANNOTATION, withoutRemovedVersion(annotation, version)) : [];
  const added = addVersionSteps({ ...spec, served: false, storage: false });
  // Without a saved copy, nothing shows that the version was ever there.
  const message = kept
    ? `${version} was put back into spec.versions, not served.`
    : `${version} was added to spec.versions from YAML, not served.`;
  const action = { kind: "readded", at: new Date().toISOString(), run: null, versions: [version], message } as const;
  return patchUnchangedSpec(connection, crd, { steps: [...tidied, ...added], action }, signal);
}

// Compared as YAML, because users get the saved copy as YAML, where 1.0 is 1.
async function isSame(person: string, given: VersionSpec, kept: VersionSpec, signal: AbortSignal): Promise<boolean> {
  const yaml = await versionYaml(person, kept, signal);
  return exactText(given) === exactText(await versionSpecFromYaml(person, yaml, kept.name, signal));
}
