import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";
import { cancelPreflight } from "#lib/rewrite/dry-run/dry-runs.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "id">(async ({ params, connection }) => {
  return json(await cancelPreflight(connection.audience, params.crd, params.id));
});
