"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { conversionProbeSchema, conversionSchema } from "#lib/contract/definition/conversion.ts";
import { crdDetailSchema, crdListSchema } from "#lib/contract/definition/crd.ts";
import { editCheckSchema } from "#lib/contract/definition/edit-check.ts";
import { finalizersSchema } from "#lib/contract/definition/finalizers.ts";
import { versionRequestsSchema } from "#lib/contract/definition/version-requests.ts";
import { type Rights, rightsSchema } from "#lib/contract/rights.ts";
import type { GuardedAction, NeededRight } from "#lib/domain/rewrite/needed-rights.ts";
import { getJson, postJson } from "#lib/queries/api-client.ts";
import { clusterPath, crdPath, finalizersPath, rightsPath } from "#lib/queries/api-paths.ts";

/** The key prefix of every query on one cluster's definitions. */
export function clusterKey(cluster: string) {
  return ["cluster", cluster] as const;
}

/** The fleet: all definitions of a cluster. */
export function crdsQuery(cluster: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "crds"],
    queryFn: ({ signal }) => getJson(`${clusterPath(cluster)}/crds`, crdListSchema, signal),
  });
}

/** The key prefix of every definition that was read by itself. */
export function crdDetailsKey(cluster: string) {
  return [...clusterKey(cluster), "crd"] as const;
}

/** One definition with its leftovers, proof and allowed actions. */
export function crdQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...crdDetailsKey(cluster), crd],
    queryFn: ({ signal }) => getJson(crdPath(cluster, crd), crdDetailSchema, signal),
  });
}

/** How a definition converts. Refetched for each generation, as only the spec determines it. */
export function conversionQuery(cluster: string, crd: string, generation: number) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "conversion", crd, generation],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/conversion`, conversionSchema, signal),
    // Keeps the previous generation until the next one arrives.
    placeholderData: (before, query) => (query?.queryKey[1] === cluster && query.queryKey[3] === crd ? before : undefined),
  });
}

/**
 * Reads one object at each served version. Only on request: it calls the webhook, and every open tab would. Not under the cluster's
 * key, which is refetched after each gap.
 */
export function conversionProbeQuery(cluster: string, crd: string, generation: number) {
  return queryOptions({
    queryKey: ["conversion-probe", cluster, crd, generation],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/conversion/probe`, conversionProbeSchema, signal),
    enabled: false,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Whether the API server would accept an edit of the schemas. Only on request, and not under the cluster's key, as for the probe. */
export function editCheckQuery(cluster: string, crd: string, generation: number) {
  return queryOptions({
    queryKey: ["edit-check", cluster, crd, generation],
    queryFn: () => postJson(`${crdPath(cluster, crd)}/edit-check`, {}, editCheckSchema),
    enabled: false,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** How often what no event announces is refetched while it is shown. */
const REFRESH_MS = 15_000;

/** An API server's request counts for a definition's versions. Refetched while shown, then dropped. */
export function versionRequestsQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: ["version-requests", cluster, crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/requests`, versionRequestsSchema, signal),
    refetchInterval: REFRESH_MS,
    gcTime: 0,
  });
}

/** The finalizers that hold a definition's objects. Refetched while shown, as there is no event for a deleted object. */
export function finalizersQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "finalizers", crd],
    queryFn: ({ signal }) => getJson(finalizersPath(cluster, crd), finalizersSchema, signal),
    refetchInterval: REFRESH_MS,
  });
}

/** The server does not ask the cluster more often than this. */
const FRESH_MS = 30_000;

/** The permissions that the user lacks on a definition, by action. */
export function rightsQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "rights", crd],
    queryFn: ({ signal }) => getJson(rightsPath(cluster, crd), rightsSchema, signal),
    staleTime: FRESH_MS,
    // There is no event for a granted permission.
    refetchInterval: ({ state }) => (state.data && isAnyMissing(state.data) ? FRESH_MS : false),
  });
}

function isAnyMissing({ missing }: Rights): boolean {
  return Object.values(missing).some((rights) => rights.length > 0);
}

/** The permissions missing for the action; empty if there are none, or while unknown, as the cluster decides anyway. */
export function useMissingRights(cluster: string, crd: string, action: GuardedAction | null): NeededRight[] {
  const { data, isSuccess } = useQuery(rightsQuery(cluster, crd));
  return isSuccess && action !== null ? data.missing[action] : [];
}
