import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { eventStream } from "#lib/http/event-stream.ts";
import { endOfReading } from "#lib/sign-in/confirm-token.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster">(async ({ request, connection, owner }) => {
  const fleet = fleetOf(connection);
  return eventStream(
    request,
    owner,
    // A fleet that has ended sends nothing; clients that reconnect, if allowed, get the next one.
    async () => !fleet.hasEnded() && (await endOfReading(request)) === null,
    (send) => {
      const { stale, denied, since, message } = fleet.freshness();
      send({ event: "ready", data: { now: new Date().toISOString() } });
      send({ event: "status", data: { stale, denied, since, message } });
      return fleet.subscribe(send);
    },
  );
});
