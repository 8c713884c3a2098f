import { connect } from "#lib/cluster/connection.ts";
import { readHistory } from "#lib/cluster/read-history.ts";
import { handle, json } from "#lib/http/handle.ts";
import { untilRecorded } from "#lib/rewrite/record-action.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  // What this process did just now belongs to it.
  await untilRecorded(request.signal);
  return json(await readHistory(connection, params.crd, request.signal));
});
