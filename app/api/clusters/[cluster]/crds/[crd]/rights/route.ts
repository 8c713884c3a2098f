import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { readRights } from "#lib/cluster/rights/read-rights.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  return json(await readRights(connection, crd, request.signal));
});
