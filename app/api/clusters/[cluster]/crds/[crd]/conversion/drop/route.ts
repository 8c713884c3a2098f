import { readDetail } from "#lib/cluster/read-detail.ts";
import { dropConversionSchema } from "#lib/contract/conversion-change.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { dropConversion } from "#lib/rewrite/drop-conversion.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd">(async ({ request, params, connection }) => {
  const drop = await readBody(request, dropConversionSchema);
  await dropConversion(connection, params.crd, drop, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
