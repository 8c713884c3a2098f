import { connect } from "#lib/cluster/connection.ts";
import { readRun } from "#lib/cluster/read-runs.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  return json(await readRun(await connect(params.cluster), params.crd, params.id, request.signal));
});
