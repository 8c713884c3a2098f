import { queryOptions } from "@tanstack/react-query";
import { crdDetailSchema, crdListSchema } from "#lib/contract/definition/crd.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { clusterPath, crdPath } from "#lib/queries/api-paths.ts";

/** The key prefix of every query on one cluster's definitions. */
export function clusterKey(cluster: string) {
  return ["cluster", cluster] as const;
}

/** The fleet: all definitions of a cluster. */
export function crdsQuery(cluster: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "crds"],
    queryFn: ({ signal }) => getJson(`${clusterPath(cluster)}/crds`, crdListSchema, signal),
  });
}

/** One definition with its leftovers, proof and allowed actions. */
export function crdQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "crd", crd],
    queryFn: ({ signal }) => getJson(crdPath(cluster, crd), crdDetailSchema, signal),
  });
}
