import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";
import { flipLosses } from "#lib/rewrite/spec-change/flip-losses.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await flipLosses(connection, crd, params.version, request.signal));
});
