import { knownCrd } from "#lib/cluster/read-runs.ts";
import { cleanManagedFieldsSchema } from "#lib/contract/managed-fields.ts";
import { readBody } from "#lib/http/handle.ts";
import { growing } from "#lib/http/ndjson.ts";
import { requireReason } from "#lib/http/on-change.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { cleanManagedFields } from "#lib/rewrite/clean-managed-fields.ts";

export const dynamic = "force-dynamic";

export const POST = onCluster<"cluster" | "crd">(async (asked) => {
  const { request, params, connection } = asked;
  const body = await readBody(request, cleanManagedFieldsSchema);
  const justification = body.dryRun ? null : await requireReason(asked);
  const crd = await knownCrd(connection, params.crd, request.signal);
  justification?.tell();
  return growing(request, (signal) => cleanManagedFields(connection, crd, body, signal));
});
