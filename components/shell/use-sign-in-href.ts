"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useSyncExternalStore } from "react";
import { SIGN_IN_PATH, signInAddress } from "#lib/queries/session/sign-in-address.ts";

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
