import { localTimes } from "#lib/domain/wording/local-time.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** A sentence of the server with its times, which are UTC, in the browser's time zone. Not for the cluster's own words. */
export function inLocalTime(text: string): string {
  return localTimes(text, serverNow());
}
