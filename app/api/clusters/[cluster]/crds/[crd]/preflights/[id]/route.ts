import { connect } from "#lib/cluster/connection.ts";
import { handle } from "#lib/http/handle.ts";
import { acceptsLines, growing } from "#lib/http/ndjson.ts";
import { watchPreflight } from "#lib/rewrite/preflight/watch-preflight.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  const { name } = await connect(params.cluster);
  return growing(request, watchPreflight(name, params.crd, params.id, { once: !acceptsLines(request) }));
});
