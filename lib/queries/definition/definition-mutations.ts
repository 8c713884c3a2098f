import { crdDetailSchema } from "#lib/contract/definition/crd.ts";
import type { RemoveVersionBody } from "#lib/contract/definition/version-change.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { crdPath, versionPath } from "#lib/queries/api-paths.ts";
import { changesDefinition } from "./changes-definition.ts";

/** Removes the proven leftover versions from status.storedVersions; `label` is the button's text. */
export function pruneStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/prune`;
  return changesDefinition(cluster, crd, (confirm: string) =>
    postJson(path, { confirm }, crdDetailSchema, { label, isNamed: true, isRecorded: true }),
  );
}

/** Undoes a prune or repairs status.storedVersions; `label` is the button's text. */
export function restoreStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/restore`;
  return changesDefinition(cluster, crd, (versions: string[]) => postJson(path, { versions }, crdDetailSchema, { label }));
}

/** Removes a version from spec.versions. */
export function removeVersion(cluster: string, crd: string, version: string) {
  const path = `${versionPath(cluster, crd, version)}/remove`;
  return changesDefinition(cluster, crd, (removal: RemoveVersionBody) =>
    postJson(path, removal, crdDetailSchema, { label: `Remove ${version}` }),
  );
}

/** Puts a version back into spec.versions: from its YAML, or from crdshift's copy if null. */
export function putBackVersion(cluster: string, crd: string, version: string) {
  const path = `${versionPath(cluster, crd, version)}/restore`;
  return changesDefinition(cluster, crd, (yaml: string | null) =>
    postJson(path, yaml === null ? {} : { yaml }, crdDetailSchema, { label: `Put ${version} back` }),
  );
}

/** Drops the conversion webhook, if the definition's generation is still this one. */
export function dropConversion(cluster: string, crd: string) {
  const path = `${crdPath(cluster, crd)}/conversion/drop`;
  return changesDefinition(cluster, crd, (expectedGeneration: number) =>
    postJson(path, { expectedGeneration }, crdDetailSchema, { label: "Drop the webhook" }),
  );
}

/** Puts the conversion webhook back from crdshift's copy. */
export function putBackConversion(cluster: string, crd: string) {
  const path = `${crdPath(cluster, crd)}/conversion/restore`;
  return changesDefinition<void>(cluster, crd, () => postJson(path, {}, crdDetailSchema, { label: "Put the webhook back" }));
}
