import { connect } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import { handle, json } from "#lib/http/handle.ts";
import { flipLosses } from "#lib/rewrite/flip-losses.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await flipLosses(connection, crd, params.version, request.signal));
});
