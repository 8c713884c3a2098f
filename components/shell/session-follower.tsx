"use client";

import { useSessionNews } from "#lib/queries/session/use-session-news.ts";

/** Lets a page follow what other tabs do with the sign-in; once per page. */
export function SessionFollower() {
  useSessionNews();
  return null;
}
