import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { growing } from "#lib/http/stream-json-lines.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const crd = await knownCrd(connection, params.crd, request.signal);
  return growing(request, (signal) => countObjects(connection, crd, signal));
});
