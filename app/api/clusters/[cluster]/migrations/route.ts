import { readMigrationList } from "#lib/cluster/migrations/list-migrations.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster">(async ({ request, connection }) => {
  return json(await readMigrationList(connection, request.signal));
});
