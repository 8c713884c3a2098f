import { queryOptions } from "@tanstack/react-query";
import { type ObjectCounts, objectCountsSchema } from "#lib/contract/objects/object-counts.ts";
import { getJsonLines } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";

/** Per-version counts as they grow. Not under the cluster's key: counting is costly and happens only on request. */
export function objectCountsQuery(cluster: string, crd: string) {
  const queryKey = ["object-counts", cluster, crd];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      let counts: ObjectCounts | undefined;
      for await (const line of getJsonLines(`${crdPath(cluster, crd)}/object-counts`, objectCountsSchema, signal)) {
        counts = line;
        client.setQueryData<ObjectCounts>(queryKey, line);
      }
      if (!counts) throw new Error("The count returned no result.");
      return counts;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
