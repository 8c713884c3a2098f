import { handleUnsigned, json } from "#lib/http/handle.ts";
import { sessionInfo } from "#lib/sign-in/session/session-info.ts";

export const dynamic = "force-dynamic";

export const GET = handleUnsigned(async ({ request }) => json(await sessionInfo(request)));
