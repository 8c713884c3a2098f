import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { pruneSchema } from "#lib/contract/definition/crd.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = changeRoute<"crd">(async ({ request, params, connection, reason }) => {
  const { confirm } = await readBody(request, pruneSchema);
  await pruneStoredVersions(connection, params.crd, confirm, request.signal, { reason });
  return json(await readDetail(connection, params.crd, request.signal));
});
