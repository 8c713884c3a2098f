import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  return json(await readDetail(await connect(params.cluster), params.crd, request.signal));
});
