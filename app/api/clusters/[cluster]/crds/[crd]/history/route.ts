import { readHistory } from "#lib/cluster/read-history.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { untilRecorded } from "#lib/rewrite/record-action.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  // What this process did just now belongs to it.
  await untilRecorded(request.signal);
  return json(await readHistory(connection, params.crd, request.signal));
});
