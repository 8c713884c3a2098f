import { queryOptions } from "@tanstack/react-query";
import { conversionProbeSchema, conversionSchema } from "#lib/contract/definition/conversion.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

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
