"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { type SessionInfo, sessionSchema } from "#lib/contract/session.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { rememberSession } from "./known-session.ts";
import { leaveToSignIn } from "./leave-page.ts";

/** Who one is here, and what one may do; leads to the sign-in where that is nobody. */
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

/** The session as the server sees it now. */
export async function readSession(signal: AbortSignal): Promise<SessionInfo> {
  const session = await getJson("/api/session", sessionSchema, signal);
  rememberSession(session);
  return session;
}

/** Who one is here; null before that is known. */
export function useSession(): SessionInfo | null {
  return useQuery(sessionQuery()).data ?? null;
}

/** Whether nothing can be changed here by anybody; not before that is known. */
export function useReadOnly(): boolean {
  return useSession()?.readOnly ?? false;
}
