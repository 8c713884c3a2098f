import { queryOptions } from "@tanstack/react-query";
import { versionRequestsSchema } from "#lib/contract/definition/version-requests.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";

const REFRESH_MS = 15_000;

/** An API server's request counts for a definition's versions. Refetched while shown, then dropped. */
export function versionRequestsQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: ["version-requests", cluster, crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/requests`, versionRequestsSchema, signal),
    refetchInterval: REFRESH_MS,
    gcTime: 0,
  });
}
