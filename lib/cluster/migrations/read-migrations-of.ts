import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { listMigrations } from "./list-migrations.ts";

/** Other engines' migrations of a definition right now, and whether the cluster's own could be listed. Throws only on abort. */
export async function readMigrationsOf(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
): Promise<Pick<Crd, "migrations" | "migrationsTold">> {
  const { apis, items } = await listMigrations(connection, signal);
  return { migrations: items.filter(({ resource }) => resource === crdName), migrationsTold: isTold(apis[DELEGATE]) };
}

/** Whether an engine's migrations are known: listed, or none because its API isn't served. */
export function isTold({ status }: { status: string }): boolean {
  return status === "served" || status === "not-served";
}
