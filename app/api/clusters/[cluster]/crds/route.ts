import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster">(async ({ request, connection }) => json(await listSummaries(connection, request.signal)));
