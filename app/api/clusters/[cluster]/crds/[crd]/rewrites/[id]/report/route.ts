import { readReport } from "#lib/cluster/history/read-report.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { dryRunsWithFindings } from "#lib/rewrite/dry-run/dry-runs.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  const dryRuns = dryRunsWithFindings(connection.audience, params.crd);
  return json(await readReport(connection, params.crd, params.id, request.signal, dryRuns));
});
