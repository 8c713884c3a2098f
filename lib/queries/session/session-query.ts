"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { type SessionInfo, sessionSchema } from "#lib/contract/session.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { leaveToSignIn, rememberSession } from "./leave-page.ts";

/** The current user and their permissions; leads to the sign-in page if no one is signed in. */
export function sessionQuery() {
  return queryOptions({
    queryKey: ["session"],
    queryFn: async ({ signal }) => {
      const session = await readSession(signal);
      if (!session.signedIn) leaveToSignIn(session.ended);
      return session;
    },
    staleTime: 60_000,
  });
}

/** Reads the session from the server. */
export async function readSession(signal: AbortSignal): Promise<SessionInfo> {
  const session = await getJson("/api/session", sessionSchema, signal);
  rememberSession(session);
  return session;
}

/** The current user; null until known. */
export function useSession(): SessionInfo | null {
  return useQuery(sessionQuery()).data ?? null;
}

/** Whether crdshift is read-only for everyone; false until known. */
export function useReadOnly(): boolean {
  return useSession()?.readOnly ?? false;
}
