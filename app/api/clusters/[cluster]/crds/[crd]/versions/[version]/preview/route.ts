import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { previewVersionChange } from "#lib/rewrite/spec-change/preview-version-change.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const change = await readBody(request, versionChangeSchema);
  return json(await previewVersionChange(connection, params.crd, params.version, change, request.signal));
});
