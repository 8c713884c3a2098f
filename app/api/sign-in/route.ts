import { signInSchema } from "#lib/contract/session.ts";
import { withCookies } from "#lib/http/json.ts";
import { publicRoute } from "#lib/http/public-route.ts";
import { readBody } from "#lib/http/read-body.ts";
import { sessionCookies } from "#lib/sign-in/session/session.ts";
import { signIn } from "#lib/sign-in/sign-in.ts";

export const dynamic = "force-dynamic";

/** Of people who aren't signed in, nothing limits how many send a body at once. A cookie holds less. */
const MOST_KIB = 16;

export const POST = publicRoute(async ({ request }) => {
  const session = await signIn(await readBody(request, signInSchema, MOST_KIB), request.signal);
  return withCookies(sessionCookies(request, session));
});
