import { connect } from "#lib/cluster/connection.ts";
import { readDetail } from "#lib/cluster/read-detail.ts";
import { restoreSchema } from "#lib/contract/crd.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { restoreStoredVersions } from "#lib/rewrite/restore-stored-versions.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const { versions } = await readBody(request, restoreSchema);
  const connection = await connect(params.cluster);
  await restoreStoredVersions(connection, params.crd, versions, request.signal);
  return json(await readDetail(connection, params.crd, request.signal));
});
