import { queryOptions } from "@tanstack/react-query";
import { historySchema } from "#lib/contract/rewrite/history.ts";
import { migrationListSchema } from "#lib/contract/rewrite/migration.ts";
import { reportSchema } from "#lib/contract/rewrite/report.ts";
import { runListSchema, runSchema } from "#lib/contract/rewrite/run.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { clusterPath, crdPath, reportPath, rewritePath } from "#lib/queries/api-paths.ts";
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

/** crdshift's actions on a definition, newest first. */
export function historyQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "history", crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/history`, historySchema, signal),
  });
}

const POLL_AT_WORK_MS = 2_000;
const POLL_MS = 30_000;

/** The StorageVersionMigrations of a cluster, and which engines it has. There are no events for them, so they are refetched. */
export function migrationsQuery(cluster: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "migrations"],
    queryFn: ({ signal }) => getJson(`${clusterPath(cluster)}/migrations`, migrationListSchema, signal),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ phase }) => phase === "running" || phase === "pending") ? POLL_AT_WORK_MS : POLL_MS,
  });
}
