"use client";

import { notifyManager, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useCallback, useEffect, useSyncExternalStore } from "react";
import { useServerNow } from "#components/shared/use-server-now.ts";
import { CopyButton } from "#components/ui/code.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";
import { type Liveness, useLiveness } from "#lib/queries/live/liveness.tsx";
import { useFleetAsOf } from "#lib/queries/live/use-cluster-data.ts";
import { endsWithToken } from "#lib/queries/session/leave-page.ts";
import { sessionQuery, useSession } from "#lib/queries/session/session-query.ts";
import { maySignInAgain, useSignInHref } from "./use-sign-in-href.ts";

/** Warns while the page may be out of date. */
export function StaleBanner({ cluster }: { cluster: string }) {
  const liveness = useLiveness();
  const asOf = useFleetAsOf(cluster);
  const showsData = useShowsData(cluster);
  // Without data on screen, the page itself explains the missing access.
  const isOutdated = liveness.kind === "stale" || (liveness.kind === "denied" && showsData);
  if (!isOutdated) return <div role="status" />;
  const lastAnswerAt = liveness.kind === "stale" ? liveness.lastAnswerAt : liveness.since;
  return (
    <div role="status">
      <Banner liveness={liveness} seenAt={asOf ?? (showsData ? lastAnswerAt : null)} />
    </div>
  );
}

/** Whether the page shows any data from this cluster. */
function useShowsData(cluster: string): boolean {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)), [cache]);
  const showsData = () => cache.findAll({ queryKey: clusterKey(cluster), type: "active" }).some((query) => query.state.data !== undefined);
  return useSyncExternalStore(subscribe, showsData, () => false);
}

function Banner({ liveness, seenAt }: { liveness: Extract<Liveness, { kind: "stale" | "denied" }>; seenAt: string | null }) {
  const mayChange = maySignInAgain(useSession());
  return (
    <div className="border-b border-blocked bg-blocked-wash">
      <div className="mx-auto flex max-w-[1600px] flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm sm:px-6">
        <strong className="font-medium">{liveness.message}</strong>
        <span className="text-ink-soft">
          {liveness.since ? (
            <>
              Since <Time at={liveness.since} seconds />.{seenAt ? " " : ""}
            </>
          ) : null}
          {seenAt ? (
            <>
              Data from <Time at={seenAt} seconds />.
            </>
          ) : null}
        </span>
        {liveness.kind === "denied" ? (
          <span className="text-ink-soft">{`Ask for access${mayChange ? ", or sign in as a user who has it" : ""}.`}</span>
        ) : null}
        {liveness.kind === "stale" && liveness.cause === "server" ? <WayBack /> : null}
      </div>
    </div>
  );
}

/** What to do while crdshift's server isn't responding. */
function WayBack() {
  const command = useSession()?.inPod ? portForward(window.location) : null;
  if (command === null) return <span className="text-ink-soft">Check that it is still running. This page reconnects automatically.</span>;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-ink-soft">
      If your port-forward has stopped, restart it:
      <code className="font-mono text-xs [overflow-wrap:anywhere]">{command}</code>
      <CopyButton text={command} label="Copy the port-forward command" />
    </span>
  );
}

/** The Service and port in the chart, in the namespace that deploy/README.md uses. */
const SERVICE = "--namespace crdshift port-forward service/crdshift";
const SERVICE_PORT = 3_000;

/** The port-forward command for this page's address; null if the address needs none, as with an ingress. */
export function portForward({ protocol, hostname, port }: Pick<Location, "protocol" | "hostname" | "port">): string | null {
  const isLoopback = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol !== "http:" || !isLoopback) return null;
  return `kubectl ${SERVICE} ${port || 80}:${SERVICE_PORT}`;
}

const LOOK_EVERY_MS = 5_000;

/**
 * Warns, starting five minutes before, that the session is about to end. It sticks to the bottom of the screen, so nothing moves when
 * it appears.
 */
export function EndingBanner() {
  const session = useSession();
  const href = useSignInHref();
  const now = useServerNow(LOOK_EVERY_MS);
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
