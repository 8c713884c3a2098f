"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { leaveToSignIn, reloadPage } from "./leave-page.ts";
import { onSessionNews } from "./session-news.ts";
import { sessionQuery } from "./session-query.ts";
import { SIGN_IN_PATH } from "./sign-in-address.ts";

/** Follows what other tabs do with the sign-in: who is signed out sees nothing more here, and who signed in goes on here, too. */
export function useSessionNews(): void {
  const client = useQueryClient();
  useEffect(
    () =>
      onSessionNews((news) => {
        if (news === "signed-out") leaveToSignIn("signed-out");
        void followSession(client);
      }),
    [client],
  );
}

async function followSession(client: QueryClient): Promise<void> {
  const { queryKey } = sessionQuery();
  const before = client.getQueryData(queryKey);
  await client.invalidateQueries({ queryKey });
  const now = client.getQueryData(queryKey);
  // What this page has read is for nobody else's eyes; and where a name is not known, it may be somebody else.
  const isSame = now?.mode !== "token" || (now.user !== null && before?.user === now.user);
  if (!isSame && before && window.location.pathname !== SIGN_IN_PATH) reloadPage();
}
