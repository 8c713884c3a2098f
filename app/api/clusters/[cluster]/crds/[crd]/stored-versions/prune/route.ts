import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { pruneSchema } from "#lib/contract/definition/crd.ts";
import { onChange } from "#lib/http/change-route.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd">(async ({ request, params, connection, reason }) => {
  const { confirm } = await readBody(request, pruneSchema);
  await pruneStoredVersions(connection, params.crd, confirm, request.signal, reason);
  return json(await readDetail(connection, params.crd, request.signal));
});
