import { connect } from "#lib/cluster/connection.ts";
import { handle, json } from "#lib/http/handle.ts";
import { pauseRewrite } from "#lib/rewrite/pause-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  return json(await pauseRewrite(await connect(params.cluster), params.crd, params.id, request.signal));
});
