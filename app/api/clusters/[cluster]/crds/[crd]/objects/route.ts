import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { readObjectTable } from "#lib/cluster/objects/object-table.ts";
import { chosenVersion } from "#lib/cluster/objects/version-to-read.ts";
import { objectsQuerySchema } from "#lib/contract/objects/custom-object.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readQuery } from "#lib/http/read-body.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  const { version, limit, continue: next } = readQuery(request, objectsQuerySchema);
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  const options = { version: chosenVersion(crd, version), limit, next: next ?? null, signal: request.signal };
  return json(await readObjectTable(connection, crd, options));
});
