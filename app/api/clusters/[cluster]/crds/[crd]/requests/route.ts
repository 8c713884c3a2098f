import { knownCrd } from "#lib/cluster/read-runs.ts";
import { readVersionRequests } from "#lib/cluster/version-requests.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await knownCrd(connection, params.crd, request.signal);
  return json(await readVersionRequests(connection, crd, request.signal));
});
