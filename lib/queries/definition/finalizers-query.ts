import { queryOptions } from "@tanstack/react-query";
import { finalizersSchema } from "#lib/contract/definition/finalizers.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { finalizersPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

/** There is no event for a deleted object. */
const REFRESH_MS = 15_000;

/** The finalizers that hold a definition's objects. Refetched while shown. */
export function finalizersQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "finalizers", crd],
    queryFn: ({ signal }) => getJson(finalizersPath(cluster, crd), finalizersSchema, signal),
    refetchInterval: REFRESH_MS,
  });
}
