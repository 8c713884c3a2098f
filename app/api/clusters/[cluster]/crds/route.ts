import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster">(async ({ request: { signal }, connection, owner }) => {
  await fleetOf(connection).listed(signal);
  return async () => json(await listSummaries(connection, signal, owner.person));
});
