"use client";

import { useEffect, useState } from "react";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** The time by the server's clock, updated every `everyMs`. */
export function useServerNow(everyMs: number): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    setNow(serverNow());
    const timer = setInterval(() => setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
