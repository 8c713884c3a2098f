import { connect } from "#lib/cluster/connection.ts";
import { versionChangeSchema } from "#lib/contract/version-change.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { previewVersionChange } from "#lib/rewrite/preview-version-change.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "version">(async ({ request, params }) => {
  const change = await readBody(request, versionChangeSchema);
  const connection = await connect(params.cluster);
  return json(await previewVersionChange(connection, params.crd, params.version, change, request.signal));
});
