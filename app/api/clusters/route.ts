import { listClusters } from "#lib/cluster/list-clusters.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

export const GET = handle(async ({ request }) => json({ clusters: await listClusters(request.signal) }));
