import { readReport } from "#lib/cluster/read-report.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await readReport(connection, params.crd, params.id, request.signal));
});
