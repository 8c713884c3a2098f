import { readConversion } from "#lib/cluster/conversion/read-conversion.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  return json(await readConversion(connection, params.crd, request.signal));
});
