import { clusterRoute } from "#lib/http/cluster-route.ts";
import { acceptsLines, streamJsonLines } from "#lib/http/json-lines.ts";
import { watchDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "id">(async ({ request, params, connection, owner }) => {
  return streamJsonLines(request, owner, watchDryRun(connection.audience, params.crd, params.id, { once: !acceptsLines(request) }));
});
