import { readFinalizers } from "#lib/cluster/definitions/read-finalizers.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  return json(await readFinalizers(connection, crd, request.signal));
});
