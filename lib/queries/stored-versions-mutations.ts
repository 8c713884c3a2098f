import { mutationOptions } from "@tanstack/react-query";
import { type CrdDetail, crdDetailSchema } from "#lib/contract/crd.ts";
import { postJson } from "./api-client.ts";
import { crdPath } from "./api-paths.ts";
import { crdQuery } from "./crd-queries.ts";
import { putDetail } from "./put-detail.ts";

/** Takes the proven leftover versions out of status.storedVersions, by a button that is called `label`. */
export function pruneStoredVersions(cluster: string, crd: string, label: string) {
  const change = { label, isNamed: true, isRecorded: true };
  return mutationOptions({
    mutationFn: (confirm: string) => postJson(`${crdPath(cluster, crd)}/stored-versions/prune`, { confirm }, crdDetailSchema, change),
    onSuccess: (detail: CrdDetail, _confirm, _result, { client }) => putDetail(client, cluster, detail),
    onError: (_error, _confirm, _result, { client }) => client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}

/** Puts pruned versions back, by a button that is called `label`. */
export function restoreStoredVersions(cluster: string, crd: string, label: string) {
  return mutationOptions({
    mutationFn: (versions: string[]) =>
      postJson(`${crdPath(cluster, crd)}/stored-versions/restore`, { versions }, crdDetailSchema, { label }),
    onSuccess: (detail: CrdDetail, _versions, _result, { client }) => putDetail(client, cluster, detail),
    onError: (_error, _versions, _result, { client }) => client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}
