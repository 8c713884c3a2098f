import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { versionChangeSchema } from "#lib/contract/version-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { changeVersion } from "#lib/rewrite/change-version.ts";

export const dynamic = "force-dynamic";

export const PATCH = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const change = await readBody(request, versionChangeSchema);
  const connection = await connect(params.cluster);
  await changeVersion(connection, params.crd, params.version, change, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
