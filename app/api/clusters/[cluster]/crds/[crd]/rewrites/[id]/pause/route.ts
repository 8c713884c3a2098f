import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd" | "id">(
  async ({ request, params, connection }) => json(await pauseRewrite(connection, params.crd, params.id, request.signal)),
  { urgent: true },
);
