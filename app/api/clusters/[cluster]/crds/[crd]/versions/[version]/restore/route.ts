import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { putBackVersionSchema } from "#lib/contract/definition/version-change.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { putBackVersion } from "#lib/rewrite/spec-change/put-back-version.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd" | "version">(async ({ request, params, connection }) => {
  const body = await readBody(request, putBackVersionSchema);
  await putBackVersion(connection, params.crd, params.version, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
