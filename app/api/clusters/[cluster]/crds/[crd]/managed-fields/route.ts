import { connect } from "#lib/cluster/connection.ts";
import { countManagedFields } from "#lib/cluster/count-managed-fields.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { handle } from "#lib/http/handle.ts";
import { growing } from "#lib/http/ndjson.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  const connection = await connect(params.cluster);
  const crd = await knownCrd(connection, params.crd, request.signal);
  return growing(request, (signal) => countManagedFields(connection, crd, signal));
});
