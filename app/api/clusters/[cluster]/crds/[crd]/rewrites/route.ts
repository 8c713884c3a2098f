import { readRuns } from "#lib/cluster/history/read-runs.ts";
import { startRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { changeRoute, clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { readEnv } from "#lib/settings/env.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd">(async ({ request, params, connection }) => {
  return json({ items: await readRuns(connection, params.crd, request.signal) });
});

export const POST = changeRoute<"crd">(async ({ request, params, connection, reason }) => {
  const options = await readBody(request, startRewriteSchema);
  const settleSeconds = readEnv().CRDSHIFT_SETTLE_SECONDS;
  const { id } = await startRewrite(connection, params.crd, { ...options, reason, settleSeconds, signal: request.signal });
  return json({ id }, 202);
});
