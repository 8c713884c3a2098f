import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { cancelPreflight } from "#lib/rewrite/preflight/cancel-preflight.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "id">(async ({ params, connection }) => {
  return json(await cancelPreflight(connection.audience, params.crd, params.id));
});
