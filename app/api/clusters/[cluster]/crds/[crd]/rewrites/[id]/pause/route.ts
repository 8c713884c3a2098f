import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { pauseRewrite } from "#lib/rewrite/pause-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await pauseRewrite(connection, params.crd, params.id, request.signal));
});
