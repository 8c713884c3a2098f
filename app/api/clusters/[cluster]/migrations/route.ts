import { connect } from "#lib/cluster/connection.ts";
import { readMigrationList } from "#lib/cluster/migrations/read-migration-list.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster">(async ({ request, params }) => {
  return json(await readMigrationList(await connect(params.cluster), request.signal));
});
