import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  return json(await readDetail(connection, params.crd, request.signal));
});
