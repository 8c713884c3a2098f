import { readDetail } from "#lib/cluster/read-detail.ts";
import { putBackConversionSchema } from "#lib/contract/conversion-change.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { putBackConversion } from "#lib/rewrite/put-back-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd">(async ({ request, params, connection }) => {
  const body = await readBody(request, putBackConversionSchema);
  await putBackConversion(connection, params.crd, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
