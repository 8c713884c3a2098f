import { json } from "#lib/http/json.ts";
import { publicRoute } from "#lib/http/public-route.ts";
import { requireReady } from "#lib/http/readiness.ts";

export const dynamic = "force-dynamic";

/** Whether the default cluster answers. If not, only the log says why, since the caller isn't signed in. */
export const GET = publicRoute(async () => {
  await requireReady();
  return json({ status: "ok" });
});
