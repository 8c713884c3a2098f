import { connect } from "#lib/cluster/connection.ts";
import { readRun } from "#lib/cluster/read-runs.ts";
import { changeRewriteSchema } from "#lib/contract/run.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { changeRewrite } from "#lib/rewrite/change-rewrite.ts";

export const dynamic = "force-dynamic";

export const GET = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  return json(await readRun(await connect(params.cluster), params.crd, params.id, request.signal));
});

export const PATCH = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  const change = await readBody(request, changeRewriteSchema);
  return json(await changeRewrite(await connect(params.cluster), params.crd, params.id, { ...change, signal: request.signal }));
});
