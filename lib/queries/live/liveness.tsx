"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { EventData } from "#lib/contract/events.ts";
import { clusterPath } from "#lib/queries/api-paths.ts";
import { clusterKey, crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { sessionQuery } from "#lib/queries/session/session-query.ts";
import { applyEvent } from "./apply-event.ts";
import type { StreamState } from "./event-source.ts";
import {
  abandonRequests,
  observeServerClock,
  recordAnswer,
  recordNoAnswer,
  type ServerContact,
  serverContact,
  subscribeServerContact,
} from "./server-contact.ts";
import { shareEventStream } from "./shared-event-stream.ts";

/** How up to date the page is. */
export type Liveness =
  | { kind: "live" | "connecting"; since: string | null; message: string }
  | { kind: "polling"; since: string | null; message: string }
  | { kind: "denied"; since: string | null; message: string }
  | { kind: "stale"; cause: "cluster" | "server"; since: string | null; message: string; lastAnswerAt: string | null };

type ClusterStatus = EventData<"status">;

const LivenessContext = createContext<Liveness>({ kind: "connecting", since: null, message: "Connecting to the event stream." });

/** How up to date the data of this cluster is. */
export function useLiveness(): Liveness {
  return useContext(LivenessContext);
}

/** Follows one cluster's events for everything below it. */
export function LivenessProvider({ cluster, children }: { cluster: string; children: ReactNode }) {
  const client = useQueryClient();
  const [stream, setStream] = useState<{ state: StreamState; since: number | null }>({ state: "connecting", since: null });
  const [status, setStatus] = useState<ClusterStatus | null>(null);
  const listStale = useQuery({ ...crdsQuery(cluster), enabled: false, select: (list) => list.stale }).data ?? false;
  const contact = useSyncExternalStore(subscribeServerContact, serverContact, serverContact);

  useEffect(checkContact, []);
  useEffect(
    () =>
      shareEventStream(cluster, `${clusterPath(cluster)}/events`, {
        event(event) {
          recordAnswer(null);
          if (event.event === "ready") observeServerClock(event.data.now);
          if (event.event === "status") setStatus(event.data);
          applyEvent(client, cluster, event);
        },
        state(state) {
          // A lost stream that reconnects is still lost until it is open.
          if (state === "lost") {
            void client.invalidateQueries({ queryKey: clusterKey(cluster) });
            // A stream does not say why it ended. Asking for the session finds out if it is over.
            void client.invalidateQueries({ queryKey: sessionQuery().queryKey });
          }
          setStream((old) =>
            old.state === state || (old.state === "lost" && state === "connecting") ? old : { state, since: Date.now() },
          );
        },
      }),
    [client, cluster],
  );

  const liveness = useMemo(() => livenessOf(stream.state, stream.since, status, listStale, contact), [stream, status, listStale, contact]);
  return <LivenessContext value={liveness}>{children}</LivenessContext>;
}

function livenessOf(
  stream: StreamState,
  since: number | null,
  status: ClusterStatus | null,
  listStale: boolean,
  contact: ServerContact,
): Liveness {
  if (contact.lostSince !== null) {
    const lastAnswerAt = contact.lastAnswerAt === null ? null : new Date(contact.lastAnswerAt).toISOString();
    const message = "crdshift isn't responding.";
    return { kind: "stale", cause: "server", since: new Date(contact.lostSince).toISOString(), message, lastAnswerAt };
  }
  // A missing permission is not an outage: unless it was there before, nothing on screen can be stale.
  if (status?.denied) return { kind: "denied", since: status.since, message: status.message ?? "The cluster doesn't let you view this." };
  if (status?.stale) {
    const message = status.message ?? "The cluster isn't responding.";
    return { kind: "stale", cause: "cluster", since: status.since, message, lastAnswerAt: status.since };
  }
  // Without events the list itself says so.
  if (listStale && stream !== "open") {
    return { kind: "stale", cause: "cluster", since: null, message: "The cluster isn't responding.", lastAnswerAt: null };
  }
  const at = since === null ? null : new Date(since).toISOString();
  switch (stream) {
    case "open":
      return { kind: "live", since: at, message: "Changes in the cluster appear immediately." };
    case "connecting":
      return { kind: "connecting", since: at, message: "Connecting to the event stream." };
    case "lost":
      return { kind: "polling", since: at, message: "The event stream is closed. Polling every 5 seconds instead." };
    default:
      return stream satisfies never;
  }
}

const LOOK_EVERY_MS = 2_000;
const QUIET_MS = 4_000;
const ANSWER_WITHIN_MS = 5_000;
/** A busy server may miss one request. */
const TRIES = 2;

/**
 * Checks that crdshift still answers after a few seconds of silence, until the returned function is called. Over a dead tunnel,
 * requests and event streams may hang instead of failing.
 */
function checkContact(): () => void {
  let asking = false;
  const look = async () => {
    const quiet = Date.now() - (serverContact().lastAnswerAt ?? 0) > QUIET_MS;
    if (asking || !quiet || document.visibilityState !== "visible") return;
    asking = true;
    await ask(serverContact().lostSince === null ? TRIES : 1);
    asking = false;
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

async function ask(tries: number): Promise<void> {
  for (let left = tries; left > 0; left -= 1) {
    try {
      const { headers } = await fetch("/api/health", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return recordAnswer(headers.get("date"));
    } catch {
      // The code after the last try reports it.
    }
  }
  recordNoAnswer();
  abandonRequests();
}
