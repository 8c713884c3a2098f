import { publicRoute, withCookies } from "#lib/http/signed-in-route.ts";
import { endingCookies, signOut } from "#lib/sign-in/session/session.ts";

export const dynamic = "force-dynamic";

export const POST = publicRoute(async ({ request }) => {
  signOut(request);
  return withCookies(endingCookies(request));
});
