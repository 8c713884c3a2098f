import { readDetail } from "#lib/cluster/read-detail.ts";
import { removeVersionSchema } from "#lib/contract/version-change.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { removeVersion } from "#lib/rewrite/remove-version.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd" | "version">(async ({ request, params, connection }) => {
  const removal = await readBody(request, removeVersionSchema);
  await removeVersion(connection, params.crd, params.version, removal, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
