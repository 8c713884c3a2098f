import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { customObjectSchema, objectPageSchema } from "#lib/contract/objects/custom-object.ts";
import { getJson } from "#lib/queries/api-client.ts";
import { objectPath, objectsPath } from "#lib/queries/api-paths.ts";

const PAGE_SIZE = 100;

/** A page of a definition's objects. Not under the cluster's key: lists are read only on request. */
export function objectPageQuery(cluster: string, crd: string, version: string, token: string | null) {
  return queryOptions({
    queryKey: ["objects", cluster, crd, version, token],
    queryFn: ({ signal }) => getJson(objectsPath(cluster, crd, { version, limit: PAGE_SIZE, continue: token }), objectPageSchema, signal),
    // A user is waiting and can retry.
    retry: false,
    // Keeps the previous page until the next one arrives.
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** One object as a version shows it. */
export function customObjectQuery(cluster: string, crd: string, object: { namespace: string; name: string }, version: string) {
  return queryOptions({
    queryKey: ["object", cluster, crd, object.namespace, object.name, version],
    queryFn: ({ signal }) => getJson(objectPath(cluster, crd, object, version), customObjectSchema, signal),
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}
