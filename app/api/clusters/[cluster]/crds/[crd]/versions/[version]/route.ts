import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { ChangedVersionDetail } from "#lib/contract/definition/crd.ts";
import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { changeRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";

export const dynamic = "force-dynamic";

export const PATCH = changeRoute<"crd" | "version">(async ({ request, params, connection }) => {
  const change = await readBody(request, versionChangeSchema);
  const { warning } = await changeVersion(connection, params.crd, params.version, change, request.signal);
  const changed: ChangedVersionDetail = { ...(await readDetail(connection, params.crd, request.signal)), warning };
  return json(changed);
});
