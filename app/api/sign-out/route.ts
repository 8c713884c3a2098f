import { publicRoute, withCookies } from "#lib/http/signed-in-route.ts";
import { endingCookies, endSession, findSession } from "#lib/sign-in/session/session.ts";

export const dynamic = "force-dynamic";

export const POST = publicRoute(async ({ request }) => {
  const { session } = findSession(request);
  if (session) endSession(session);
  return withCookies(endingCookies(request));
});
