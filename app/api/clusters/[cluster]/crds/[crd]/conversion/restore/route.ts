import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { putBackConversionSchema } from "#lib/contract/conversion-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { putBackConversion } from "#lib/rewrite/put-back-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const body = await readBody(request, putBackConversionSchema);
  const connection = await connect(params.cluster);
  await putBackConversion(connection, params.crd, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
