import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { countManagedFields } from "#lib/cluster/objects/count-managed-fields.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { streamJsonLines } from "#lib/http/json-lines.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection, owner }) => {
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  return streamJsonLines(request, owner, (signal) => countManagedFields(connection, crd, signal));
});
