import { acceptsLines, growing } from "#lib/http/ndjson.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { watchPreflight } from "#lib/rewrite/preflight/watch-preflight.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return growing(request, watchPreflight(connection.audience, params.crd, params.id, { once: !acceptsLines(request) }));
});
