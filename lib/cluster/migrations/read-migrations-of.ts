import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { listMigrations } from "./list-migrations.ts";

/** What other engines do with a definition at this moment, and whether that could be told. Throws nothing but the abort. */
export async function readMigrationsOf(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
): Promise<Pick<Crd, "migrations" | "migrationsTold">> {
  const { apis, items } = await listMigrations(connection, signal);
  return { migrations: items.filter(({ resource }) => resource === crdName), migrationsTold: isTold(apis["in-tree"]) };
}

/** Whether an engine's migrations could be listed; where its API is not served there are none. */
export function isTold({ status }: { status: string }): boolean {
  return status === "served" || status === "not-served";
}
