import { probeConversion } from "#lib/cluster/conversion/probe-conversion.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await probeConversion(connection, crd, { signal: request.signal }));
});
