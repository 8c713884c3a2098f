import { queryOptions } from "@tanstack/react-query";
import { type Rights, rightsSchema } from "#lib/contract/rights.ts";
import { getJson } from "./api-client.ts";
import { rightsPath } from "./api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

/** The server asks the cluster no more often. */
const FRESH_MS = 30_000;

/** What whoever asks may not do with a definition, by action. */
export function rightsQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "rights", crd],
    queryFn: ({ signal }) => getJson(rightsPath(cluster, crd), rightsSchema, signal),
    staleTime: FRESH_MS,
    // No event tells that a right was given.
    refetchInterval: ({ state }) => (state.data && isAnyMissing(state.data) ? FRESH_MS : false),
  });
}

function isAnyMissing({ missing }: Rights): boolean {
  return Object.values(missing).some((rights) => rights.length > 0);
}
