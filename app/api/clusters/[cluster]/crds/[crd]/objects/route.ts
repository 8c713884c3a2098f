import { chosenVersion } from "#lib/cluster/chosen-version.ts";
import { readObjectTable } from "#lib/cluster/object-table.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { objectsQuerySchema } from "#lib/contract/custom-object.ts";
import { json, readQuery } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const { version, limit, continue: next } = readQuery(request, objectsQuerySchema);
  const crd = await knownCrd(connection, params.crd, request.signal);
  const options = { version: chosenVersion(crd, version), limit, next: next ?? null, signal: request.signal };
  return json(await readObjectTable(connection, crd, options));
});
