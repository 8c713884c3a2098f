import { readReport } from "#lib/cluster/history/read-report.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/signed-in-route.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await readReport(connection, params.crd, params.id, request.signal));
});
