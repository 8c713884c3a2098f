"use client";

import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Rights, rightsSchema } from "#lib/contract/rights.ts";
import type { GuardedAction, NeededRight } from "#lib/domain/rewrite/needed-rights.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { rightsPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

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
