import { keepPreviousData, mutationOptions, queryOptions } from "@tanstack/react-query";
import { type CrdDetail, crdDetailSchema } from "#lib/contract/crd.ts";
import { type VersionChangeBody, versionChangePreviewSchema } from "#lib/contract/version-change.ts";
import { versionLossesSchema } from "#lib/contract/version-losses.ts";
import { getJson, isGivenUp, patchJson, postJson } from "./api-client.ts";
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

/** What objects would lose with it as the storage version. Not under the cluster's key: objects are read when a person asks. */
export function versionLossesQuery(cluster: string, crd: string, version: string, generation: number) {
  return queryOptions({
    queryKey: [...versionLossesKey(cluster, crd, version), generation],
    queryFn: ({ signal }) => getJson(`${versionPath(cluster, crd, version)}/losses`, versionLossesSchema, signal),
    staleTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

function versionLossesKey(cluster: string, crd: string, version: string) {
  return ["version-losses", cluster, crd, version];
}

/** Changes a version's flags, by a button that is called `label`. */
export function changeVersion(cluster: string, crd: string, version: string, label: string) {
  return mutationOptions({
    mutationFn: (change: VersionChangeBody) => patchJson(versionPath(cluster, crd, version), change, crdDetailSchema, { label }),
    onSuccess: (detail: CrdDetail, _change, _result, { client }) => putDetail(client, cluster, detail),
    onError: (error, _change, _result, { client }) => {
      // What was looked at, and accepted, is as it was.
      if (isGivenUp(error)) return;
      // The refusal may be for losses that were not there when somebody looked.
      void client.invalidateQueries({ queryKey: versionLossesKey(cluster, crd, version) });
      return client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
    },
  });
}
