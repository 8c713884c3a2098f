import { chosenVersion } from "#lib/cluster/chosen-version.ts";
import { readCustomObject } from "#lib/cluster/read-custom-object.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { objectQuerySchema } from "#lib/contract/custom-object.ts";
import { json, readQuery } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "name">(async ({ request, params, connection }) => {
  const { namespace, version } = readQuery(request, objectQuerySchema);
  const crd = await knownCrd(connection, params.crd, request.signal);
  const options = { version: chosenVersion(crd, version), signal: request.signal };
  return json(await readCustomObject(connection, crd, { namespace, name: params.name }, options));
});
