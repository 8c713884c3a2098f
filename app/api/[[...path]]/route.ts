import { AppError } from "#lib/contract/app-error.ts";
import { signedInRoute } from "#lib/http/signed-in-route.ts";

export const dynamic = "force-dynamic";

/** Every path below /api that no other route answers. */
const unknown = signedInRoute<never>(async ({ request }) => {
  throw new AppError("not_found", `There is nothing at ${new URL(request.url).pathname}.`, {
    nextStep: "docs/http-api.md lists the HTTP surface.",
  });
});

export { unknown as DELETE, unknown as GET, unknown as PATCH, unknown as POST, unknown as PUT };
