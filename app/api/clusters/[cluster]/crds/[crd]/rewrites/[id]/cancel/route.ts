import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await cancelRewrite(connection, params.crd, params.id, request.signal));
});
