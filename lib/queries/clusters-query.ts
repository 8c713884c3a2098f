import { queryOptions } from "@tanstack/react-query";
import { clusterListSchema } from "#lib/contract/cluster.ts";
import { getJson } from "./api-client.ts";

/** All contexts that crdshift knows. */
export function clustersQuery() {
  return queryOptions({
    queryKey: ["clusters"],
    queryFn: ({ signal }) => getJson("/api/clusters", clusterListSchema, signal),
    staleTime: 30_000,
  });
}
