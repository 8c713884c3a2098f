import { readReport } from "#lib/cluster/history/read-report.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await readReport(connection, params.crd, params.id, request.signal));
});
