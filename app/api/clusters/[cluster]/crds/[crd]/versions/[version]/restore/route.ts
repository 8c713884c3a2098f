import { readDetail } from "#lib/cluster/read-detail.ts";
import { putBackVersionSchema } from "#lib/contract/version-change.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { putBackVersion } from "#lib/rewrite/put-back-version.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd" | "version">(async ({ request, params, connection }) => {
  const body = await readBody(request, putBackVersionSchema);
  await putBackVersion(connection, params.crd, params.version, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
