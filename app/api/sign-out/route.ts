import { handleUnsigned } from "#lib/http/handle.ts";
import { withCookies } from "#lib/http/with-cookies.ts";
import { endingCookies, sessionOf } from "#lib/sign-in/session.ts";
import { endSession } from "#lib/sign-in/signed-out.ts";

export const dynamic = "force-dynamic";

export const POST = handleUnsigned(async ({ request }) => {
  const session = sessionOf(request);
  if (session) endSession(session);
  return withCookies(endingCookies(request));
});
