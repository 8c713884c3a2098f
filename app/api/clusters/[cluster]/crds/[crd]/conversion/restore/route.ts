import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { putBackConversionSchema } from "#lib/contract/definition/conversion.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { putBackConversion } from "#lib/rewrite/spec-change/put-back-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd">(async ({ request, params, connection }) => {
  const body = await readBody(request, putBackConversionSchema);
  await putBackConversion(connection, params.crd, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
