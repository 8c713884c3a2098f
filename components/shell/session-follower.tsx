"use client";

import { useSessionNews } from "#lib/queries/session/use-session-news.ts";

/** Syncs the session with other tabs; render once per page. */
export function SessionFollower() {
  useSessionNews();
  return null;
}
