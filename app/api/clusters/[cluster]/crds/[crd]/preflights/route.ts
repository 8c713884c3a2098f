import { startPreflightSchema } from "#lib/contract/preflight.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onCluster } from "#lib/http/on-cluster.ts";
import { listPreflights } from "#lib/rewrite/preflight/preflights.ts";
import { startPreflight } from "#lib/rewrite/preflight/start-preflight.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ params, connection }) => {
  return json({ items: listPreflights(connection.audience, params.crd) });
});

export const POST = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const options = await readBody(request, startPreflightSchema);
  const { id } = await startPreflight(connection, params.crd, { ...options, signal: request.signal });
  return json({ id }, 202);
});
