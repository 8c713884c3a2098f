import { connect } from "#lib/cluster/connection.ts";
import { listSummaries } from "#lib/cluster/list-summaries.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster">(async ({ request, params }) =>
  json(await listSummaries(await connect(params.cluster), request.signal)),
);
