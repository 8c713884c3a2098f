import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { flipLosses } from "#lib/rewrite/spec-change/flip-losses.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "version">(async ({ request, params, connection, owner }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await flipLosses(connection, crd, params.version, request.signal, owner.person));
});
