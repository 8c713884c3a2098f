import { queryOptions } from "@tanstack/react-query";
import { migrationListSchema } from "#lib/contract/rewrite/migration.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { clusterPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";

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
