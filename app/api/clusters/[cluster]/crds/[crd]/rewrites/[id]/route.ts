import { readRun } from "#lib/cluster/history/read-runs.ts";
import { changeRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { clusterRoute } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { changeRewrite } from "#lib/rewrite/commands/change-rewrite.ts";

export const dynamic = "force-dynamic";

export const GET = clusterRoute<"cluster" | "crd" | "id">(async ({ request, params, connection }) => {
  return json(await readRun(connection, params.crd, params.id, request.signal));
});

export const PATCH = clusterRoute<"cluster" | "crd" | "id">(
  async ({ request, params, connection }) => {
    const change = await readBody(request, changeRewriteSchema);
    return json(await changeRewrite(connection, params.crd, params.id, { ...change, signal: request.signal }));
  },
  { urgent: true },
);
