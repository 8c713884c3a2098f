import { json } from "#lib/http/signed-in-route.ts";

export const dynamic = "force-dynamic";

/** Whether this process answers; asks no cluster. */
export function GET(): Response {
  return json({ status: "ok" });
}
