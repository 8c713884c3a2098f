"use client";

import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect } from "react";
import { Time, useNow } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";
import { endsWithToken } from "#lib/queries/session/known-session.ts";
import { sessionQuery, useSession } from "#lib/queries/session/session-query.ts";
import { useSignInHref } from "./use-sign-in-href.ts";

const LOOK_EVERY_MS = 5_000;

/**
 * Warns, starting five minutes before, that the session is about to end. It sticks to the bottom of the screen, so nothing moves when
 * it appears.
 */
export function EndingBanner() {
  const session = useSession();
  const href = useSignInHref();
  const now = useNow(LOOK_EVERY_MS, serverNow);
  const client = useQueryClient();
  const isOver = session?.until != null && now >= Date.parse(session.until);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks again on every tick until the server confirms the end
  useEffect(() => {
    if (isOver) void client.invalidateQueries({ queryKey: sessionQuery().queryKey });
  }, [isOver, now, client]);

  const left = session && timeLeft(session, now);
  return (
    <div role="status" className="sticky bottom-0 z-20 print:hidden">
      {left && session.until ? (
        <div className="border-t border-warning bg-warning-wash text-sm">
          <p className="mx-auto flex max-w-[1600px] flex-wrap gap-x-3 px-4 py-1.5 sm:px-6">
            <span>
              Your session ends at <Time at={session.until} /> <span aria-hidden>({left})</span>. {afterEnd(session)}
            </span>
            {session.mode === "token" ? (
              <Link href={href} prefetch={false} className="font-medium whitespace-nowrap underline underline-offset-2">
                Sign in again
              </Link>
            ) : null}
          </p>
        </div>
      ) : null}
    </div>
  );
}

/** How long before its end to warn. */
const WARN_MS = 5 * 60_000;

/** The time left in the session as text, or null if it is too early to warn. */
export function timeLeft({ until }: Pick<SessionInfo, "until">, now: number): string | null {
  if (until === null) return null;
  const leftMs = Date.parse(until) - now;
  if (leftMs > WARN_MS) return null;
  return leftMs < 60_000 ? "in less than a minute" : `in ${Math.round(leftMs / 60_000)} min`;
}

/** What happens to rewrites when the session ends: those that use a token run until it expires. */
export function afterEnd(session: Pick<SessionInfo, "mode" | "until" | "tokenUntil">): string {
  if (session.mode !== "token") return "Rewrites continue. To stay signed in, open the newest link that crdshift printed.";
  return endsWithToken(session) ? "Your rewrites will be interrupted; you can resume them." : "Your rewrites continue with your token.";
}
