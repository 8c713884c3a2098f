import { connect } from "#lib/cluster/connection.ts";
import { readFinalizers } from "#lib/cluster/read-finalizers.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  const crd = await knownCrd(connection, params.crd, request.signal);
  return json(await readFinalizers(connection, crd, request.signal));
});
