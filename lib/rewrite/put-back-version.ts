import type { Connection } from "#lib/cluster/connection.ts";
import { readExactCrd } from "#lib/cluster/crds.ts";
import { removedSpecOf } from "#lib/cluster/removed-version.ts";
import { versionSpecFromYaml } from "#lib/cluster/version-yaml.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { putBackVersionRefusal } from "#lib/domain/version-change-refusal.ts";
import { addVersionSteps, annotationOf, REMOVED_ANNOTATION, type VersionSpec } from "#lib/domain/version-spec.ts";
import { patchUnchangedSpec } from "./patch-unchanged-spec.ts";
import { recordAction } from "./record-action.ts";
import { refuse } from "./refuse.ts";

/**
 * Adds a version to spec.versions again: from the YAML given, which is one entry of spec.versions, or as removeVersion kept it. It comes
 * back not served, as it was when it was removed, and never as the storage version.
 * @throws AppError invalid_input for a YAML that is no such entry, precondition_failed with what stands in the way.
 */
export async function putBackVersion(
  connection: Connection,
  crdName: string,
  version: string,
  yaml: string | undefined,
  signal: AbortSignal,
): Promise<Crd> {
  const given = yaml === undefined ? null : versionSpecFromYaml(yaml, version);
  const { crd, exact } = await readExactCrd(connection, crdName, signal);
  const refusal = putBackVersionRefusal(crd, version, Date.now());
  if (refusal) throw refuse(refusal);
  const spec: VersionSpec | null = given ?? removedSpecOf(annotationOf(exact, REMOVED_ANNOTATION), version);
  if (!spec) {
    throw new AppError("precondition_failed", `The definition keeps no ${version} that crdshift removed.`, {
      nextStep: "Send the YAML that you saved when it was removed.",
    });
  }
  const written = await patchUnchangedSpec(connection, crd, addVersionSteps({ ...spec, served: false, storage: false }), signal);
  const message = `${version} was put back into spec.versions, not served.`;
  recordAction(connection, crdName, { kind: "readded", at: new Date().toISOString(), run: null, message });
  return written;
}
