"use client";

import { useEffect, useRef } from "react";
import type { SessionInfo } from "#lib/contract/session.ts";
import { leavePage } from "#lib/queries/leave-page.ts";

/** Goes on to `to` once somebody is signed in who was not while this page was open: by another tab, or since the cluster takes their token again. */
export function useGoOn(session: SessionInfo | undefined, to: string): void {
  const wasSignedOut = useRef(false);
  const isSignedIn = session?.signedIn;
  useEffect(() => {
    if (isSignedIn === false) wasSignedOut.current = true;
    else if (isSignedIn && wasSignedOut.current) leavePage(to);
  }, [isSignedIn, to]);
}
