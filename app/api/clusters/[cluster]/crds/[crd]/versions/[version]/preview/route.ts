import { versionChangeSchema } from "#lib/contract/definition/version-change.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { previewVersionChange } from "#lib/rewrite/spec-change/preview-version-change.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd" | "version">(async ({ request, params, connection }) => {
  const change = await readBody(request, versionChangeSchema);
  return json(await previewVersionChange(connection, params.crd, params.version, change, request.signal));
});
