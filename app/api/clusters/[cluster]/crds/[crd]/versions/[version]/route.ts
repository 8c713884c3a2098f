import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { changeRoute } from "#lib/http/change-route.ts";
import { json, readBody } from "#lib/http/signed-in-route.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";

export const dynamic = "force-dynamic";

export const PATCH = changeRoute<"crd" | "version">(async ({ request, params, connection }) => {
  const change = await readBody(request, versionChangeSchema);
  await changeVersion(connection, params.crd, params.version, change, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
