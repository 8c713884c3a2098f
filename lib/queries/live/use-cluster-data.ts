"use client";

import { useQuery } from "@tanstack/react-query";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { clustersQuery } from "#lib/queries/clusters-query.ts";
import { crdQuery, crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { dryRunQuery, dryRunsQuery } from "#lib/queries/rewrite/dry-run-queries.ts";
import { historyQuery } from "#lib/queries/rewrite/history-query.ts";
import { reportQuery } from "#lib/queries/rewrite/report-query.ts";
import { rewriteQuery, rewritesQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import { useLiveness } from "./liveness.tsx";

/** Events carry changes, not the passing of time, so ages and approximate totals are refetched. */
const REFRESH_WHEN_LIVE_MS = 60_000;
const POLL_MS = 5_000;
const POLL_RUN_MS = 2_000;
/** There is no event for the end of a process that held a run. */
const CHECK_RUN_MS = 10_000;

export function useClusters() {
  return useQuery({ ...clustersQuery(), refetchInterval: REFRESH_WHEN_LIVE_MS });
}

/** A cluster's definitions, live or polled. */
export function useCrds(cluster: string) {
  return useQuery({ ...crdsQuery(cluster), refetchInterval: usePollMs(POLL_MS) });
}

/** The time of the cached list, without fetching one. */
export function useFleetAsOf(cluster: string): string | null {
  return useQuery({ ...crdsQuery(cluster), enabled: false, select: (list) => list.asOf }).data ?? null;
}

/** One definition, live or polled. */
export function useCrd(cluster: string, crd: string) {
  return useQuery({ ...crdQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

export function useRewrites(cluster: string, crd: string) {
  return useQuery({ ...rewritesQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

/** The history of a definition. Refetched when the definition or one of its runs changes. */
export function useHistory(cluster: string, crd: string) {
  return useQuery({ ...historyQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

/** The report of a run. Refetched every minute while the run is active. */
export function useReport(cluster: string, crd: string, id: string) {
  return useQuery({
    ...reportQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data?.verdict.state === "at-work" ? REFRESH_WHEN_LIVE_MS : false),
  });
}

/** One run, live or polled while it is active. */
export function useRewrite(cluster: string, crd: string, id: string) {
  const pollMs = Math.min(usePollMs(POLL_RUN_MS), CHECK_RUN_MS);
  return useQuery({
    ...rewriteQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data && !isLive(query.state.data) ? REFRESH_WHEN_LIVE_MS : pollMs),
  });
}

/** One dry run, streamed while it runs, polled if the stream breaks. */
export function useDryRun(cluster: string, crd: string, id: string) {
  return useQuery({
    ...dryRunQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data?.phase === "running" ? POLL_RUN_MS : false),
  });
}

/** The dry run currently running on a definition; null if there is none. */
export function useRunningDryRun(cluster: string, crd: string): DryRun | null {
  const running = (items: DryRun[]) => items.find(({ phase }) => phase === "running") ?? null;
  const { data } = useQuery({
    ...dryRunsQuery(cluster, crd),
    refetchInterval: (query) => (running(query.state.data?.items ?? []) ? POLL_RUN_MS : REFRESH_WHEN_LIVE_MS),
  });
  return running(data?.items ?? []);
}

function usePollMs(pollMs: number): number {
  const { kind } = useLiveness();
  return kind === "live" || kind === "connecting" ? REFRESH_WHEN_LIVE_MS : pollMs;
}
