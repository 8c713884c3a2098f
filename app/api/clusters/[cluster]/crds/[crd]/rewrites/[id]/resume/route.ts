import { connect } from "#lib/cluster/connection.ts";
import { resumeRewriteSchema } from "#lib/contract/run.ts";
import { readEnv } from "#lib/env.ts";
import { handle, json, readBody } from "#lib/http/handle.ts";
import { resumeRewrite } from "#lib/rewrite/resume-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = handle<"cluster" | "crd" | "id">(async ({ request, params }) => {
  const body = await readBody(request, resumeRewriteSchema);
  const options = { ...body, settleSeconds: readEnv().CRDSHIFT_SETTLE_SECONDS, signal: request.signal };
  return json(await resumeRewrite(await connect(params.cluster), params.crd, params.id, options));
});
