import { protectionOf } from "#lib/cluster/definitions/protection-of.ts";
import { resumeRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { clusterRoute, justified } from "#lib/http/cluster-route.ts";
import { json } from "#lib/http/json.ts";
import { readBody } from "#lib/http/read-body.ts";
import { isPausePending, resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { readEnv } from "#lib/settings/env.ts";

export const dynamic = "force-dynamic";

export const POST = clusterRoute<"cluster" | "crd" | "id">(async (asked) => {
  const { request, params, connection } = asked;
  const body = await readBody(request, resumeRewriteSchema);
  const how = { ...body, settleSeconds: readEnv().CRDSHIFT_SETTLE_SECONDS, signal: request.signal };
  // Taking back a pause before it takes effect changes nothing, and needs no reason.
  if (protectionOf(params.crd) !== null && isPausePending({ crd: params.crd, id: params.id })) {
    return json(await resumeRewrite(connection, params.crd, params.id, { ...how, onlyTakeBack: true }));
  }
  return justified(asked, async (reason) => json(await resumeRewrite(connection, params.crd, params.id, { ...how, reason })));
});
