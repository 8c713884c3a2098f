import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { crdDetailSchema } from "#lib/contract/definition/crd.ts";
import { type VersionChangeBody, versionChangePreviewSchema, versionLossesSchema } from "#lib/contract/definition/version-change.ts";
import { getJson, patchJson, postJson } from "#lib/queries/api-client.ts";
import { versionPath } from "#lib/queries/api-paths.ts";
import { changesDefinition } from "./changes-definition.ts";
import { clusterKey } from "./crd-queries.ts";

/** The request and the effects of a change to a version's flags. Nothing is written. */
export function versionChangePreviewQuery(cluster: string, crd: string, version: string, change: VersionChangeBody) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "version-change", crd, version, change],
    queryFn: () => postJson(`${versionPath(cluster, crd, version)}/preview`, change, versionChangePreviewSchema),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });
}

/** The losses with this version as the storage version. Not under the cluster's key: objects are read only on request. */
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

/** Changes a version's flags; `label` is the button's text. A refusal may name losses that are newer than the preview. */
export function changeVersion(cluster: string, crd: string, version: string, label: string) {
  const path = versionPath(cluster, crd, version);
  return changesDefinition(
    cluster,
    crd,
    (change: VersionChangeBody) => patchJson(path, change, crdDetailSchema, { label }),
    versionLossesKey(cluster, crd, version),
  );
}
