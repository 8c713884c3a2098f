import { fleetOf } from "#lib/cluster/fleet.ts";
import { eventStream } from "#lib/http/event-stream.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { mayStillRead } from "#lib/sign-in/may-still-read.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster">(async ({ request, connection }) => {
  const fleet = fleetOf(connection);
  return eventStream(
    request,
    () => mayStillRead(request),
    (send) => {
      const { stale, since, message } = fleet.status();
      send({ event: "ready", data: { now: new Date().toISOString() } });
      send({ event: "status", data: { stale, since, message } });
      return fleet.subscribe(send);
    },
  );
});
