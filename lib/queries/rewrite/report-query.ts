import { queryOptions } from "@tanstack/react-query";
import { reportSchema } from "#lib/contract/rewrite/report.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { reportPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";

/** The key prefix of all reports on a definition's runs. */
export function reportsKey(cluster: string, crd: string) {
  return [...clusterKey(cluster), "report", crd] as const;
}

/** The report of one run. */
export function reportQuery(cluster: string, crd: string, id: string) {
  return queryOptions({
    queryKey: [...reportsKey(cluster, crd), id],
    queryFn: ({ signal }) => getJson(reportPath(cluster, crd, id), reportSchema, signal),
  });
}
