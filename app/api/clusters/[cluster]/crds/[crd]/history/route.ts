import { readHistory } from "#lib/cluster/history/read-history.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection, owner }) => {
  // Waits for this process's latest actions on it to be recorded.
  await untilRecorded(request.signal, params.crd);
  return json(await readHistory(connection, params.crd, request.signal, { person: owner.person }));
});
