"use client";

import { mutationOptions, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { z } from "zod";
import type { SignIn } from "#lib/contract/session.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { leavePage, leaveToSignIn, reloadPage, SIGN_IN_PATH } from "./leave-page.ts";
import { readSession, sessionQuery } from "./session-query.ts";

/** Messages between the tabs of a browser profile about the sign-in they share. */
type SessionNews = "signed-in" | "signed-out";

const NAME = "crdshift-session";

// One channel for both directions: it does not receive its own messages.
let shared: BroadcastChannel | null = null;

/** Tells every other tab. Without channels, they notice at their next request. */
function tellTabs(news: SessionNews): void {
  channel()?.postMessage(news);
}

/** Listens to other tabs until the returned function is called. */
function onSessionNews(listener: (news: SessionNews) => void): () => void {
  const hear = ({ data }: MessageEvent<SessionNews>) => listener(data);
  const heard = channel();
  heard?.addEventListener("message", hear);
  return () => heard?.removeEventListener("message", hear);
}

function channel(): BroadcastChannel | null {
  if (typeof BroadcastChannel === "undefined") return null;
  shared ??= new BroadcastChannel(NAME);
  return shared;
}

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

const doneSchema = z.object({});

/** Signs in and leaves for `to`. Returns whether that worked: a browser may refuse the cookie. */
export function signIn(to: string) {
  return mutationOptions({
    mutationFn: async (body: SignIn) => {
      await postJson("/api/sign-in", body, doneSchema);
      const { signedIn } = await readSession(new AbortController().signal);
      return { signedIn };
    },
    onSuccess: ({ signedIn }) => {
      if (!signedIn) return;
      tellTabs("signed-in");
      leavePage(to);
    },
  });
}

/** Ends the session and leaves for the sign-in page. */
export function signOut() {
  return mutationOptions({
    mutationFn: () => postJson("/api/sign-out", {}, doneSchema),
    onSuccess: (_done, _nothing, _result, { client }) => {
      leavePage(SIGN_IN_PATH);
      tellTabs("signed-out");
      client.clear();
    },
  });
}
