"use client";

import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { useServerNow } from "./use-server-now.ts";

/** How long ago a moment of the server's clock was, as it goes by: `12 s ago`. */
export function Ago({ at }: { at: string }) {
  const now = useServerNow(5_000);
  return <>{formatDuration(now - Date.parse(at))} ago</>;
}
