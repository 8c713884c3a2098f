import { connect } from "#lib/cluster/connection.ts";
import { readCrd } from "#lib/cluster/crds.ts";
import { probeConversion } from "#lib/cluster/probe-conversion.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  const { crd } = await readCrd(connection, params.crd, request.signal);
  return json(await probeConversion(connection, crd, { signal: request.signal }));
});
