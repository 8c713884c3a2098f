import { connect } from "#lib/cluster/connection.ts";
import { handle, json } from "#lib/http/handle.ts";
import { cancelPreflight } from "#lib/rewrite/preflight/cancel-preflight.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "id">(async ({ params }) => {
  const { name } = await connect(params.cluster);
  return json(await cancelPreflight(name, params.crd, params.id));
});
