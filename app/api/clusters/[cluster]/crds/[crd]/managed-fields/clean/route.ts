import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { cleanManagedFieldsSchema } from "#lib/contract/objects/managed-fields.ts";
import { clusterRoute, requireReason } from "#lib/http/cluster-route.ts";
import { streamJsonLines } from "#lib/http/json-lines.ts";
import { readBody } from "#lib/http/read-body.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd">(async (asked) => {
  const { request, params, connection, owner } = asked;
  const body = await readBody(request, cleanManagedFieldsSchema);
  const justification = body.dryRun ? null : await requireReason(asked);
  const crd = await readKnownCrd(connection, params.crd, request.signal);
  return streamJsonLines(request, owner, (signal) => cleanManagedFields(connection, crd, body, signal, justification?.tell));
});
