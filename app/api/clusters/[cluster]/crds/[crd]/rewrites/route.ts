import { connect } from "#lib/cluster/connection.ts";
import { readRuns } from "#lib/cluster/read-runs.ts";
import { startRewriteSchema } from "#lib/contract/run.ts";
import { readEnv } from "#lib/env.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { startRewrite } from "#lib/rewrite/start-rewrite.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd">(async ({ request, params }) => {
  return json({ items: await readRuns(await connect(params.cluster), params.crd, request.signal) });
});

export const POST = handle<"cluster" | "crd">(async ({ request, params }) => {
  const options = await readBody(request, startRewriteSchema);
  const settleSeconds = readEnv().CRDSHIFT_SETTLE_SECONDS;
  const { id } = await startRewrite(await connect(params.cluster), params.crd, { ...options, settleSeconds, signal: request.signal });
  return json({ id }, 202);
});
