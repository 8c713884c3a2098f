import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { dropConversionSchema } from "#lib/contract/conversion-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { dropConversion } from "#lib/rewrite/drop-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const drop = await readBody(request, dropConversionSchema);
  const connection = await connect(params.cluster);
  await dropConversion(connection, params.crd, drop, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
