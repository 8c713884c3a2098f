import { queryOptions } from "@tanstack/react-query";
import { historySchema } from "#lib/contract/history.ts";
import { getJson } from "./api-client.ts";
import { crdPath } from "./api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

/** What crdshift did to a definition, newest first. */
export function historyQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "history", crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/history`, historySchema, signal),
  });
}
