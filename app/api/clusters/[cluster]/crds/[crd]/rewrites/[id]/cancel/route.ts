import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd" | "id">(
  async ({ request, params, connection }) => json(await cancelRewrite(connection, params.crd, params.id, request.signal)),
  { urgent: true },
);
