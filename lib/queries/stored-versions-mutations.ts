import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { type CrdDetail, crdDetailSchema } from "#lib/contract/crd.ts";
import { postJson } from "./api-client.ts";
import { crdPath } from "./api-paths.ts";
import { crdQuery, crdsQuery } from "./crd-queries.ts";
import { objectCountsQuery } from "./object-counts-query.ts";

/** Takes the proven leftover versions out of status.storedVersions. */
export function pruneStoredVersions(cluster: string, crd: string) {
  return mutationOptions({
    mutationFn: (confirm: string) => postJson(`${crdPath(cluster, crd)}/stored-versions/prune`, { confirm }, crdDetailSchema),
    onSuccess: (detail: CrdDetail, _confirm, _result, { client }) => putDetail(client, cluster, detail),
    onError: (_error, _confirm, _result, { client }) => client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}

/** Puts pruned versions back. */
export function restoreStoredVersions(cluster: string, crd: string) {
  return mutationOptions({
    mutationFn: (versions: string[]) => postJson(`${crdPath(cluster, crd)}/stored-versions/restore`, { versions }, crdDetailSchema),
    onSuccess: (detail: CrdDetail, _versions, _result, { client }) => putDetail(client, cluster, detail),
    onError: (_error, _versions, _result, { client }) => client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}

// Not awaited: a mutation is over when the server has answered it.
function putDetail(client: QueryClient, cluster: string, detail: CrdDetail): void {
  client.setQueryData(crdQuery(cluster, detail.name).queryKey, detail);
  void client.invalidateQueries({ queryKey: crdsQuery(cluster).queryKey });
  void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, detail.name).queryKey });
}
