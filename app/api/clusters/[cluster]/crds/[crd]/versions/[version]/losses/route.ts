import { readCrd } from "#lib/cluster/crds.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { flipLosses } from "#lib/rewrite/flip-losses.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await flipLosses(connection, crd, params.version, request.signal));
});
