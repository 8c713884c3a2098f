import { queryOptions } from "@tanstack/react-query";
import { historySchema } from "#lib/contract/rewrite/history.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";

/** crdshift's actions on a definition, newest first. */
export function historyQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "history", crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/history`, historySchema, signal),
  });
}
