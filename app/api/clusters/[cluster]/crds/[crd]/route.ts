import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection, owner }) => {
  return json(await readDetail(connection, params.crd, request.signal, owner.person));
});
