import { connect } from "#lib/cluster/connection.ts";
import { startPreflightSchema } from "#lib/contract/preflight.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { listPreflights } from "#lib/rewrite/preflight/preflights.ts";
import { startPreflight } from "#lib/rewrite/preflight/start-preflight.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ params }) => {
  const { name } = await connect(params.cluster);
  return json({ items: listPreflights(name, params.crd) });
});

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const options = await readBody(request, startPreflightSchema);
  const { id } = await startPreflight(await connect(params.cluster), params.crd, { ...options, signal: request.signal });
  return json({ id }, 202);
});
