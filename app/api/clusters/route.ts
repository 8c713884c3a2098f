import { listClusters } from "#lib/cluster/connection/list-clusters.ts";
import { json } from "#lib/http/json.ts";
import { signedInRoute } from "#lib/http/signed-in-route.ts";
import { readEnv } from "#lib/settings/env.ts";
import { isReadOnly } from "#lib/sign-in/mode.ts";

export const dynamic = "force-dynamic";

export const GET = signedInRoute(async ({ request, credentials }) => {
  const readOnly = isReadOnly(readEnv());
  return json({ clusters: await listClusters(credentials, { readOnly, signal: request.signal }) });
});
