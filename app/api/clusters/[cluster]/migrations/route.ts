import { connect } from "#lib/cluster/connection.ts";
import { listMigrations } from "#lib/cluster/migrations/list-migrations.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster">(async ({ request, params }) => {
  return json(await listMigrations(await connect(params.cluster), request.signal));
});
