import { queryOptions } from "@tanstack/react-query";
import { finalizersSchema } from "#lib/contract/definition/finalizers.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { finalizersPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

/** No event tells that an object is gone. */
const REFRESH_MS = 15_000;

/** What holds the objects of a definition; asked for again and again while somebody looks. */
export function finalizersQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "finalizers", crd],
    queryFn: ({ signal }) => getJson(finalizersPath(cluster, crd), finalizersSchema, signal),
    refetchInterval: REFRESH_MS,
  });
}
