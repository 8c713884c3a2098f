import { crdDetailSchema } from "#lib/contract/definition/crd.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { changesDefinition } from "./changes-definition.ts";

/** Takes the proven leftover versions out of status.storedVersions, by a button that is called `label`. */
export function pruneStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/prune`;
  return changesDefinition(cluster, crd, (confirm: string) =>
    postJson(path, { confirm }, crdDetailSchema, { label, isNamed: true, isRecorded: true }),
  );
}

/** Puts pruned versions back, by a button that is called `label`. */
export function restoreStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/restore`;
  return changesDefinition(cluster, crd, (versions: string[]) => postJson(path, { versions }, crdDetailSchema, { label }));
}
