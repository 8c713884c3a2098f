import { json } from "#lib/http/handle.ts";

export const dynamic = "force-dynamic";

/** Whether this process answers; no cluster is asked. */
export function GET(): Response {
  return json({ status: "ok" });
}
