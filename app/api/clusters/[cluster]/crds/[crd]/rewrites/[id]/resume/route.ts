import { resumeRewriteSchema } from "#lib/contract/run.ts";
import { readEnv } from "#lib/env.ts";
import { json, readBody } from "#lib/http/handle.ts";
import { onChange } from "#lib/http/on-change.ts";
import { resumeRewrite } from "#lib/rewrite/resume-rewrite.ts";

export const dynamic = "force-dynamic";

export const POST = onChange<"crd" | "id">(async ({ request, params, connection }) => {
  const body = await readBody(request, resumeRewriteSchema);
  const options = { ...body, settleSeconds: readEnv().CRDSHIFT_SETTLE_SECONDS, signal: request.signal };
  return json(await resumeRewrite(connection, params.crd, params.id, options));
});
