import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { downloadObject } from "#lib/cluster/objects/read-custom-object.ts";
import { chosenVersion } from "#lib/cluster/objects/version-to-read.ts";
import { objectQuerySchema } from "#lib/contract/objects/custom-object.ts";
import { attachment } from "#lib/http/attachment.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { readQuery } from "#lib/http/read-body.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "name">(async ({ request, params, connection, owner }) => {
  const { namespace, version: asked } = readQuery(request, objectQuerySchema);
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  const version = chosenVersion(crd, asked);
  return attachment(request, owner, { name: `${params.name}.json`, type: "application/json" }, (signal) =>
    downloadObject(connection, crd, { namespace, name: params.name }, { version, signal }),
  );
});
