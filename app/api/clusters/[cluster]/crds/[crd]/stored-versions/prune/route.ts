import { readDetail } from "#lib/cluster/read-detail.ts";
import { pruneSchema } from "#lib/contract/crd.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { pruneStoredVersions } from "#lib/rewrite/prune-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd">(async ({ request, params, connection, reason }) => {
  const { confirm } = await readBody(request, pruneSchema);
  await pruneStoredVersions(connection, params.crd, confirm, request.signal, reason);
  return json(await readDetail(connection, params.crd, request.signal));
});
