import { withCookies } from "#lib/http/json.ts";
import { publicRoute } from "#lib/http/public-route.ts";
import { endingCookies, signOut } from "#lib/sign-in/session/session.ts";

export const dynamic = "force-dynamic";

export const POST = publicRoute(async ({ request }) => {
  signOut(request);
  return withCookies(endingCookies(request));
});
