import { startPreflightSchema } from "#lib/contract/rewrite/dry-run.ts";
import { onCluster } from "#lib/http/cluster-route.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { listPreflights } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startPreflight } from "#lib/rewrite/dry-run/start-dry-run.ts";

export const dynamic = "force-dynamic";

export const GET = onCluster<"cluster" | "crd">(async ({ params, connection }) => {
  return json({ items: listPreflights(connection.audience, params.crd) });
});

export const POST = onCluster<"cluster" | "crd">(async ({ request, params, connection }) => {
  const options = await readBody(request, startPreflightSchema);
  const { id } = await startPreflight(connection, params.crd, { ...options, signal: request.signal });
  return json({ id }, 202);
});
