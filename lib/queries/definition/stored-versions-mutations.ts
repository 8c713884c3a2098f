import { crdDetailSchema } from "#lib/contract/definition/crd.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { changesDefinition } from "./changes-definition.ts";

/** Removes the proven leftover versions from status.storedVersions; `label` is the button's text. */
export function pruneStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/prune`;
  return changesDefinition(cluster, crd, (confirm: string) =>
    postJson(path, { confirm }, crdDetailSchema, { label, isNamed: true, isRecorded: true }),
  );
}

/** Puts pruned versions back; `label` is the button's text. */
export function restoreStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/restore`;
  return changesDefinition(cluster, crd, (versions: string[]) => postJson(path, { versions }, crdDetailSchema, { label }));
}
