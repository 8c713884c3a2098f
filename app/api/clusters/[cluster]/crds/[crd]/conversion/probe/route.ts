import { readCrd } from "#lib/cluster/crds.ts";
import { probeConversion } from "#lib/cluster/probe-conversion.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await probeConversion(connection, crd, { signal: request.signal }));
});
