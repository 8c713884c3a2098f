import { queryOptions } from "@tanstack/react-query";
import { runListSchema, runSchema } from "#lib/contract/rewrite/run.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdPath, rewritePath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";

/** The runs of one definition, newest first. */
export function rewritesQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "rewrites", crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/rewrites`, runListSchema, signal),
  });
}

/** One run. */
export function rewriteQuery(cluster: string, crd: string, id: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "rewrite", crd, id],
    queryFn: ({ signal }) => getJson(rewritePath(cluster, crd, id), runSchema, signal),
  });
}
