import { startDryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { listDryRuns } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ params, connection }) => {
  return json({ items: listDryRuns(connection.audience, params.crd) });
});

export const POST = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  const options = await readBody(request, startDryRunSchema);
  const { id } = await startDryRun(connection, params.crd, { ...options, signal: request.signal });
  return json({ id }, 202);
});
