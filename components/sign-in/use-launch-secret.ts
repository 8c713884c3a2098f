"use client";

import { useEffect } from "react";
import { launchSecretOf } from "./launch-secret-of.ts";

/** Signs in with the secret of the launch link that is opened here, now or while the page is open. */
export function useLaunchSecret(signIn: (body: { launch: string }) => void): void {
  useEffect(() => {
    const take = () => {
      const launch = launchSecretOf(window.location.hash);
      if (launch === null) return;
      // First of all out of the address, which is kept, synchronised and shown to others.
      window.history.replaceState(window.history.state, "", `${window.location.pathname}${window.location.search}`);
      signIn({ launch });
    };
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [signIn]);
}
