import { keepPreviousData, mutationOptions, queryOptions } from "@tanstack/react-query";
import { type CrdDetail, crdDetailSchema } from "#lib/contract/crd.ts";
import { type VersionChangeBody, versionChangePreviewSchema } from "#lib/contract/version-change.ts";
import { patchJson, postJson } from "./api-client.ts";
import { versionPath } from "./api-paths.ts";
import { clusterKey, crdQuery } from "./crd-queries.ts";
import { putDetail } from "./put-detail.ts";

/** What a change of a version's flags would send and bring about. Nothing is written. */
export function versionChangePreviewQuery(cluster: string, crd: string, version: string, change: VersionChangeBody) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "version-change", crd, version, change],
    queryFn: () => postJson(`${versionPath(cluster, crd, version)}/preview`, change, versionChangePreviewSchema),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
}

/** Changes a version's flags. */
export function changeVersion(cluster: string, crd: string, version: string) {
  return mutationOptions({
    mutationFn: (change: VersionChangeBody) => patchJson(versionPath(cluster, crd, version), change, crdDetailSchema),
    onSuccess: (detail: CrdDetail, _change, _result, { client }) => putDetail(client, cluster, detail),
    onError: (_error, _change, _result, { client }) => client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}
