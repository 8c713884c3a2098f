import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { removeVersionSchema } from "#lib/contract/definition/version-change.ts";
import { onChange } from "#lib/http/change-route.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd" | "version">(async ({ request, params, connection }) => {
  const removal = await readBody(request, removeVersionSchema);
  await removeVersion(connection, params.crd, params.version, removal, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
