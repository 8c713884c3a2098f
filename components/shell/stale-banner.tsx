"use client";

import { notifyManager, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { CopyButton } from "#components/ui/code/copy-button.tsx";
import { Time } from "#components/ui/time.tsx";
import { clusterKey } from "#lib/queries/definition/crd-queries.ts";
import { type Liveness, useLiveness } from "#lib/queries/live/liveness.tsx";
import { useFleetAsOf } from "#lib/queries/live/use-cluster-data.ts";
import { useSession } from "#lib/queries/session/session-query.ts";
import { maySignInAgain } from "./use-sign-in-href.ts";

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
