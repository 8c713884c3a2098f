import { onCluster } from "#lib/http/cluster-route.ts";
import { acceptsLines, growing } from "#lib/http/stream-json-lines.ts";
import { watchPreflight } from "#lib/rewrite/dry-run/watch-dry-run.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return growing(request, watchPreflight(connection.audience, params.crd, params.id, { once: !acceptsLines(request) }));
});
