import { probeConversion } from "#lib/cluster/conversion/probe-conversion.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection, owner }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await probeConversion(connection, crd, { signal: request.signal, person: owner.person }));
});
