import { readVersionRequests } from "#lib/cluster/definitions/version-requests.ts";
import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await knownCrd(connection, params.crd, request.signal);
  return json(await readVersionRequests(connection, crd, request.signal));
});
