import { connect } from "#lib/cluster/connection.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";
import { eventStream } from "#lib/http/event-stream.ts";
import { handle } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster">(async ({ request, params }) => {
  const fleet = fleetOf(await connect(params.cluster));
  return eventStream(request, (send) => {
    const { stale, since, message } = fleet.status();
    send({ event: "ready", data: { now: new Date().toISOString() } });
    send({ event: "status", data: { stale, since, message } });
    return fleet.subscribe(send);
  });
});
