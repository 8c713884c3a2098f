import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { cancelDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd" | "id">(async ({ params, connection }) => {
  return json(await cancelDryRun(connection.audience, params.crd, params.id));
});
