import { listedFleet, summariesOf } from "#lib/cluster/fleet/list-summaries.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster">(async ({ request: { signal }, connection, owner }) => {
  const fleet = await listedFleet(connection, signal);
  return async () => json(await summariesOf(fleet, { person: owner.person, signal }));
});
