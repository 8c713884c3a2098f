import { handleUnsigned } from "#lib/http/handle.ts";
import { withCookies } from "#lib/http/with-cookies.ts";
import { endingCookies, findSession } from "#lib/sign-in/session/session.ts";
import { endSession } from "#lib/sign-in/session/signed-out.ts";

export const dynamic = "force-dynamic";

export const POST = handleUnsigned(async ({ request }) => {
  const { session } = findSession(request);
  if (session) endSession(session);
  return withCookies(endingCookies(request));
});
