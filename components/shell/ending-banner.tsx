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
 * Says, from five minutes before it, that the sign-in ends. It stands below the content and stays in sight: nothing moves when it
 * comes, wherever one has scrolled to.
 */
export function EndingBanner() {
  const session = useSession();
  const href = useSignInHref();
  const now = useNow(LOOK_EVERY_MS, serverNow);
  const client = useQueryClient();
  const isOver = session?.until != null && now >= Date.parse(session.until);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again with each look, until the server says so, too
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
              Your sign-in ends at <Time at={session.until} /> <span aria-hidden>({left})</span>. {afterEnd(session)}
            </span>
            {session.mode === "token" ? (
              <Link href={href} prefetch={false} className="font-medium whitespace-nowrap underline underline-offset-2">
                Sign in anew
              </Link>
            ) : null}
          </p>
        </div>
      ) : null}
    </div>
  );
}

/** From when on somebody is warned of the end of their sign-in. */
const WARN_MS = 5 * 60_000;

/** How long a sign-in still lasts, in words, once that is to be told; null before. */
export function timeLeft({ until }: Pick<SessionInfo, "until">, now: number): string | null {
  if (until === null) return null;
  const leftMs = Date.parse(until) - now;
  if (leftMs > WARN_MS) return null;
  return leftMs < 60_000 ? "in less than a minute" : `in ${Math.round(leftMs / 60_000)} min`;
}

/** What becomes of rewrites when a sign-in ends: one that works with a token goes as long as that. */
export function afterEnd(session: Pick<SessionInfo, "mode" | "until" | "tokenUntil">): string {
  if (session.mode !== "token") return "Rewrites go on. To go on looking, open the newest link that crdshift printed.";
  return endsWithToken(session)
    ? "Rewrites that you started are interrupted then, and can be resumed."
    : "Rewrites that you started go on with your token.";
}
