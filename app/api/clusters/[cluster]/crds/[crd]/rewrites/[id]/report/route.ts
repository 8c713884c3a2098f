import { connect } from "#lib/cluster/connection.ts";
import { readReport } from "#lib/cluster/read-report.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  return json(await readReport(await connect(params.cluster), params.crd, params.id, request.signal));
});
