import { signInSchema } from "#lib/contract/session.ts";
import { handleUnsigned, readBody } from "#lib/http/handle.ts";
import { withCookies } from "#lib/http/with-cookies.ts";
import { sessionCookies } from "#lib/sign-in/session/session.ts";
import { signIn } from "#lib/sign-in/sign-in.ts";

export const dynamic = "force-dynamic";

export const POST = handleUnsigned(async ({ request }) => {
  const session = await signIn(await readBody(request, signInSchema), request.signal);
  return withCookies(sessionCookies(request, session));
});
