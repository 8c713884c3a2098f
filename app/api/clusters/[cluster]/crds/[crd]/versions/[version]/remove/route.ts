import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { removeVersionSchema } from "#lib/contract/definition/version-change.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd" | "version">(async ({ request, params, connection }) => {
  const removal = await readBody(request, removeVersionSchema);
  await removeVersion(connection, params.crd, params.version, removal, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
