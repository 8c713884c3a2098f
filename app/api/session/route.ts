import { json } from "#lib/http/json.ts";
import { publicRoute } from "#lib/http/public-route.ts";
import { sessionInfo } from "#lib/sign-in/session/session-info.ts";

export const dynamic = "force-dynamic";

export const GET = publicRoute(async ({ request }) => json(await sessionInfo(request)));
