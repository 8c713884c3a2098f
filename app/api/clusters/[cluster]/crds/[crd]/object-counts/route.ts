import { countObjects } from "#lib/cluster/object-counts.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { growing } from "#lib/http/ndjson.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await knownCrd(connection, params.crd, request.signal);
  return growing(request, (signal) => countObjects(connection, crd, signal));
});
