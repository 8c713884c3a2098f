"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useSyncExternalStore } from "react";
import type { SessionInfo } from "#lib/contract/session.ts";
import { SIGN_IN_PATH, signInAddress } from "#lib/queries/session/leave-page.ts";

/** The URL to sign in again, or as another user, and return to this page. */
export function useSignInHref(): string {
  const pathname = usePathname();
  const query = useSearchParams().toString();
  const hash = useSyncExternalStore(onHashChange, currentHash, noHash);
  return signInAddress({ pathname, search: query && `?${query}`, hash }) ?? SIGN_IN_PATH;
}

function onHashChange(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

const currentHash = () => window.location.hash;
const noHash = () => "";

/** Whether the user can sign in with another token: only in token mode, and not when a proxy sends the token. */
export function maySignInAgain(session: Pick<SessionInfo, "mode" | "until"> | null): boolean {
  return session?.mode === "token" && session.until !== null;
}
