import { listSummaries } from "#lib/cluster/list-summaries.ts";
import { json } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster">(async ({ request, connection }) => json(await listSummaries(connection, request.signal)));
