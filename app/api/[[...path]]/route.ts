import { AppError } from "#lib/contract/app-error.ts";
import { handle } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

/** Every path below /api that no other route answers. */
const unknown = handle<never>(async ({ request }) => {
  throw new AppError("not_found", `There is nothing at ${new URL(request.url).pathname}.`, {
    nextStep: "ARCHITECTURE.md lists the HTTP surface.",
  });
});

export { unknown as DELETE, unknown as GET, unknown as PATCH, unknown as POST, unknown as PUT };
