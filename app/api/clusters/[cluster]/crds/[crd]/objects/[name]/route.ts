import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { readCustomObject } from "#lib/cluster/objects/read-custom-object.ts";
import { chosenVersion } from "#lib/cluster/objects/version-to-read.ts";
import { objectQuerySchema } from "#lib/contract/objects/custom-object.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readQuery } from "#lib/http/read-body.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "name">(async ({ request, params, connection }) => {
  const { namespace, version } = readQuery(request, objectQuerySchema);
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  const options = { version: chosenVersion(crd, version), signal: request.signal };
  return json(await readCustomObject(connection, crd, { namespace, name: params.name }, options));
});
