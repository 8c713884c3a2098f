import { connect } from "#lib/cluster/connection.ts";
import { readServerVersion } from "#lib/cluster/discovery.ts";
import { readKubeContexts } from "#lib/cluster/kubeconfig.ts";
import { handle, json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

/** Whether the default cluster answers. */
export const GET = handle(async ({ request }) => {
  await readServerVersion(await connect(readKubeContexts().current), request.signal);
  return json({ status: "ok" });
});
