"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { leaveToSignIn, reloadPage } from "./leave-page.ts";
import { onSessionNews } from "./session-news.ts";
import { sessionQuery } from "./session-query.ts";
import { SIGN_IN_PATH } from "./sign-in-address.ts";

/** Follows sign-ins and sign-outs in other tabs: a signed-out user leaves this page, a signed-in user continues here. */
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
  // Another user must not see what this page has read; an unknown name may be another user.
  const isSame = now?.mode !== "token" || (now.user !== null && before?.user === now.user);
  if (!isSame && before && window.location.pathname !== SIGN_IN_PATH) reloadPage();
}
