import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { removeVersionSchema } from "#lib/contract/version-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { removeVersion } from "#lib/rewrite/remove-version.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const removal = await readBody(request, removeVersionSchema);
  const connection = await connect(params.cluster);
  await removeVersion(connection, params.crd, params.version, removal, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
