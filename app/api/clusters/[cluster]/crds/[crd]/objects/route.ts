import { chosenVersion } from "#lib/cluster/chosen-version.ts";
import { connect } from "#lib/cluster/connection.ts";
import { readObjectTable } from "#lib/cluster/object-table.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { objectsQuerySchema } from "#lib/contract/custom-object.ts";
import { handle, json, readQuery } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const { version, limit, continue: next } = readQuery(request, objectsQuerySchema);
  const connection = await connect(params.cluster);
  const crd = await knownCrd(connection, params.crd, request.signal);
  const options = { version: chosenVersion(crd, version), limit, next: next ?? null, signal: request.signal };
  return json(await readObjectTable(connection, crd, options));
});
