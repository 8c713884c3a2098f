import { keepPreviousData, mutationOptions, type QueryClient, type QueryKey, queryOptions, skipToken } from "@tanstack/react-query";
import { type ChangedVersionDetail, type CrdDetail, changedVersionSchema, crdDetailSchema } from "#lib/contract/definition/crd.ts";
import {
  type RemoveVersionBody,
  type VersionChangeBody,
  versionChangePreviewSchema,
  versionLossesSchema,
} from "#lib/contract/definition/version-change.ts";
import { getJson, isGivenUp, patchJson, postJson } from "#lib/queries/api-client.ts";
import { crdPath, versionPath } from "#lib/queries/api-paths.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-queries.ts";
import { clusterKey, crdQuery, crdsQuery } from "./crd-queries.ts";

/** Removes the proven leftover versions from status.storedVersions; `label` is the button's text. */
export function pruneStoredVersions(cluster: string, crd: string, label: string) {
  const path = `${crdPath(cluster, crd)}/stored-versions/prune`;
  return changesDefinition(cluster, crd, (confirm: string) =>
    postJson(path, { confirm }, crdDetailSchema, { label, isNamed: true, isRecorded: true }),
  );
}

/** Undoes a prune or repairs status.storedVersions; `label` is the button's text. */
export function relistStoredVersions(cluster: string, crd: string, label: string) {
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

/**
 * A mutation that returns the changed definition. After a refusal, it refetches the definition, and with it the queries in `inDoubt`,
 * before it settles.
 */
function changesDefinition<Variables>(
  cluster: string,
  crd: string,
  mutationFn: (variables: Variables, context: { client: QueryClient }) => Promise<CrdDetail>,
  inDoubt?: QueryKey,
) {
  return mutationOptions({
    mutationFn,
    onSuccess: (detail: CrdDetail, _variables, _result, { client }) => putDetail(client, cluster, detail),
    onError: (error, _variables, _result, { client }) => {
      // A change that was given up changed nothing; free its button immediately.
      if (isGivenUp(error)) return;
      if (inDoubt) void client.invalidateQueries({ queryKey: inDoubt });
      return client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
    },
  });
}

/** Shows the definition that an action returned and refetches the data that depends on it, without waiting for that. */
function putDetail(client: QueryClient, cluster: string, detail: CrdDetail): void {
  client.setQueryData(crdQuery(cluster, detail.name).queryKey, detail);
  void client.invalidateQueries({ queryKey: crdsQuery(cluster).queryKey });
  void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, detail.name).queryKey });
}

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

/** What the newest change of a version's flags warned of, and the generation that it made. */
export function flipWarningQuery(cluster: string, crd: string) {
  return queryOptions<Pick<ChangedVersionDetail, "warning" | "generation">>({
    queryKey: ["flip-warning", cluster, crd],
    queryFn: skipToken,
  });
}

/** Changes a version's flags; `label` is the button's text. A refusal may name losses that are newer than the preview. */
export function changeVersion(cluster: string, crd: string, version: string, label: string) {
  const path = versionPath(cluster, crd, version);
  return changesDefinition(
    cluster,
    crd,
    async (change: VersionChangeBody, { client }) => {
      const { warning, ...detail } = await patchJson(path, change, changedVersionSchema, { label });
      client.setQueryData(flipWarningQuery(cluster, crd).queryKey, { warning, generation: detail.generation });
      return detail;
    },
    versionLossesKey(cluster, crd, version),
  );
}
