import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { restoreSchema } from "#lib/contract/definition/crd.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd">(async ({ request, params, connection }) => {
  const { versions } = await readBody(request, restoreSchema);
  await relistStoredVersions(connection, params.crd, versions, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
