"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { clusterListSchema } from "#lib/contract/cluster.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdQuery, crdsQuery } from "#lib/queries/definition/crd-queries.ts";
import { dryRunQuery, dryRunsQuery } from "#lib/queries/rewrite/dry-runs.ts";
import { historyQuery, reportQuery, rewriteQuery, rewritesQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import { useLiveness } from "./liveness.tsx";
import { useLastingQuery } from "./use-lasting-query.ts";

/** All contexts that crdshift knows. */
function clustersQuery() {
  return queryOptions({
    queryKey: ["clusters"],
    queryFn: ({ signal }) => getJson("/api/clusters", clusterListSchema, signal),
    staleTime: 30_000,
  });
}

/** Events carry changes, not the passing of time, so ages and approximate totals are refetched. */
const REFRESH_WHEN_LIVE_MS = 60_000;
/** The server answers before it has asked every cluster, and some it never asks. */
const SOON_MS = 3_000;
const SOON_TIMES = 10;
const POLL_MS = 5_000;
const POLL_RUN_MS = 2_000;
/** There is no event for the end of a process that held a run. */
const CHECK_RUN_MS = 10_000;

export function useClusters() {
  return useLastingQuery({
    ...clustersQuery(),
    refetchInterval({ state: { data, dataUpdateCount } }) {
      const isAsking = data?.clusters.some(({ reachable }) => reachable === null) && dataUpdateCount <= SOON_TIMES;
      return isAsking ? SOON_MS : REFRESH_WHEN_LIVE_MS;
    },
  });
}

/** A cluster's definitions, live or polled. */
export function useCrds(cluster: string) {
  return useLastingQuery({ ...crdsQuery(cluster), refetchInterval: usePollMs(POLL_MS) });
}

/** The time of the cached list, without fetching one. */
export function useFleetAsOf(cluster: string): string | null {
  return useQuery({ ...crdsQuery(cluster), enabled: false, select: (list) => list.asOf }).data ?? null;
}

/** One definition, live or polled. */
export function useCrd(cluster: string, crd: string) {
  return useLastingQuery({ ...crdQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

export function useRewrites(cluster: string, crd: string) {
  return useLastingQuery({ ...rewritesQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

/** The history of a definition. Refetched when the definition or one of its runs changes. */
export function useHistory(cluster: string, crd: string) {
  return useLastingQuery({ ...historyQuery(cluster, crd), refetchInterval: usePollMs(POLL_MS) });
}

/** The report of a run. Refetched every minute while the run is active. */
export function useReport(cluster: string, crd: string, id: string) {
  return useLastingQuery({
    ...reportQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data?.verdict.state === "at-work" ? REFRESH_WHEN_LIVE_MS : false),
  });
}

/** One run, live or polled while it is active. */
export function useRewrite(cluster: string, crd: string, id: string) {
  const pollMs = Math.min(usePollMs(POLL_RUN_MS), CHECK_RUN_MS);
  return useLastingQuery({
    ...rewriteQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data && !isLive(query.state.data) ? REFRESH_WHEN_LIVE_MS : pollMs),
  });
}

/** One dry run, streamed while it runs, polled if the stream breaks. */
export function useDryRun(cluster: string, crd: string, id: string) {
  return useLastingQuery({
    ...dryRunQuery(cluster, crd, id),
    refetchInterval: (query) => (query.state.data?.phase === "running" ? POLL_RUN_MS : false),
  });
}

/** The dry runs of a definition that this crdshift knows, polled while one is running. */
export function useDryRuns(cluster: string, crd: string) {
  return useLastingQuery({
    ...dryRunsQuery(cluster, crd),
    refetchInterval: ({ state }) => (state.data?.items.some(({ phase }) => phase === "running") ? POLL_RUN_MS : REFRESH_WHEN_LIVE_MS),
  });
}

function usePollMs(pollMs: number): number {
  const { kind } = useLiveness();
  return kind === "live" || kind === "connecting" ? REFRESH_WHEN_LIVE_MS : pollMs;
}
