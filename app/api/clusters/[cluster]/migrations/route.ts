import { readMigrationList } from "#lib/cluster/migrations/read-migration-list.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster">(async ({ request, connection }) => {
  return json(await readMigrationList(connection, request.signal));
});
