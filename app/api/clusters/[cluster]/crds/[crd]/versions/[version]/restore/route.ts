import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { putBackVersionSchema } from "#lib/contract/version-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { putBackVersion } from "#lib/rewrite/put-back-version.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const body = await readBody(request, putBackVersionSchema);
  const connection = await connect(params.cluster);
  await putBackVersion(connection, params.crd, params.version, body, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
