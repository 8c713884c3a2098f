import { signInSchema } from "#lib/contract/session.ts";
import { publicRoute, readBody, withCookies } from "#lib/http/signed-in-route.ts";
import { sessionCookies } from "#lib/sign-in/session/session.ts";
import { signIn } from "#lib/sign-in/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = publicRoute(async ({ request }) => {
  const session = await signIn(await readBody(request, signInSchema), request.signal);
  return withCookies(sessionCookies(request, session));
});
