import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster">(
  async ({ request, connection, owner }) => json(await listSummaries(connection, request.signal, owner.person)),
  { isLarge: true },
);
