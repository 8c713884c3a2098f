import { readDetail } from "#lib/cluster/read-detail.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  return json(await readDetail(connection, params.crd, request.signal));
});
