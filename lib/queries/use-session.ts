"use client";

import { useQuery } from "@tanstack/react-query";
import type { SessionInfo } from "#lib/contract/session.ts";
import { sessionQuery } from "./session-query.ts";

/** Who one is here; null before that is known. */
export function useSession(): SessionInfo | null {
  return useQuery(sessionQuery()).data ?? null;
}

/** Whether nothing can be changed here by anybody; not before that is known. */
export function useReadOnly(): boolean {
  return useSession()?.readOnly ?? false;
}
