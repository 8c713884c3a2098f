import { connect } from "#lib/cluster/connection.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { cleanManagedFieldsSchema } from "#lib/contract/managed-fields.ts";
import { handle, readBody } from "#lib/http/handle.ts";
import { growing } from "#lib/http/ndjson.ts";
import { cleanManagedFields } from "#lib/rewrite/clean-managed-fields.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const body = await readBody(request, cleanManagedFieldsSchema);
  const connection = await connect(params.cluster);
  const crd = await knownCrd(connection, params.crd, request.signal);
  return growing(request, (signal) => cleanManagedFields(connection, crd, body, signal));
});
