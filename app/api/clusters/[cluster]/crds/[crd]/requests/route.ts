import { connect } from "#lib/cluster/connection.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { readVersionRequests } from "#lib/cluster/version-requests.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  const crd = await knownCrd(connection, params.crd, request.signal);
  return json(await readVersionRequests(connection, crd, request.signal));
});
