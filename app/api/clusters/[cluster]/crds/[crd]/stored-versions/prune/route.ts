import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { pruneSchema } from "#lib/contract/crd.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { pruneStoredVersions } from "#lib/rewrite/prune-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const { confirm } = await readBody(request, pruneSchema);
  const connection = await connect(params.cluster);
  await pruneStoredVersions(connection, params.crd, confirm, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
