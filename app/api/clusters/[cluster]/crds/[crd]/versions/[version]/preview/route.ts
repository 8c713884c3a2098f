import { versionChangeSchema } from "#lib/contract/version-change.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { previewVersionChange } from "#lib/rewrite/preview-version-change.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const change = await readBody(request, versionChangeSchema);
  return json(await previewVersionChange(connection, params.crd, params.version, change, request.signal));
});
