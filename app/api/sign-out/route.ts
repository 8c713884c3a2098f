import { publicRoute } from "#lib/http/signed-in-route.ts";
import { withCookies } from "#lib/http/with-cookies.ts";
import { endingCookies, findSession } from "#lib/sign-in/session/session.ts";
import { endSession } from "#lib/sign-in/session/signed-out.ts";

export const dynamic = "force-dynamic";

export const POST = publicRoute(async ({ request }) => {
  const { session } = findSession(request);
  if (session) endSession(session);
  return withCookies(endingCookies(request));
});
