import { readConversion } from "#lib/cluster/read-conversion.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  return json(await readConversion(connection, params.crd, request.signal));
});
