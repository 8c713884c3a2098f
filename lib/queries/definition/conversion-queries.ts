import { queryOptions } from "@tanstack/react-query";
import { conversionProbeSchema, conversionSchema } from "#lib/contract/definition/conversion.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { clusterKey } from "./crd-queries.ts";

/** How a definition converts; asked for anew with every generation, since only the spec decides on it. */
export function conversionQuery(cluster: string, crd: string, generation: number) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "conversion", crd, generation],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/conversion`, conversionSchema, signal),
    // The generation before stays until the next one is there.
    placeholderData: (before, query) => (query?.queryKey[1] === cluster && query.queryKey[3] === crd ? before : undefined),
  });
}

/**
 * One object asked for at each served version. Only when a person asks: it is the webhook that it puts to work, and every tab that is
 * open would. Not under the cluster's key, which is asked for again after each gap.
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
