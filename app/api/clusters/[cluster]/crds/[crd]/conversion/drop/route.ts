import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { dropConversionSchema } from "#lib/contract/definition/conversion.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { dropConversion } from "#lib/rewrite/spec-change/drop-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd">(async ({ request, params, connection }) => {
  const drop = await readBody(request, dropConversionSchema);
  await dropConversion(connection, params.crd, drop, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
