import { connect } from "#lib/cluster/connection.ts";
import { readConversion } from "#lib/cluster/read-conversion.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  return json(await readConversion(connection, params.crd, request.signal));
});
