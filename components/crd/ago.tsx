"use client";

import { useNow } from "#components/ui/time.tsx";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** How long ago a moment of the server's clock was, as it goes by: `12 s ago`. */
export function Ago({ at }: { at: string }) {
  const now = useNow(5_000, serverNow);
  return <>{formatDuration(now - Date.parse(at))} ago</>;
}
