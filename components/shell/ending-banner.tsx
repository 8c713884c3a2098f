"use client";

import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useEffect } from "react";
import { Time } from "#components/ui/time.tsx";
import { useNow } from "#components/ui/use-now.ts";
import { serverNow } from "#lib/queries/server-contact.ts";
import { sessionQuery } from "#lib/queries/session-query.ts";
import { useSession } from "#lib/queries/use-session.ts";
import { afterEnd, timeLeft } from "./ending-words.ts";
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
