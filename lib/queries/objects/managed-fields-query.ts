import { queryOptions } from "@tanstack/react-query";
import { type ManagedFields, managedFieldsSchema } from "#lib/contract/objects/managed-fields.ts";
import { getJsonLines } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";

/** Counts of managedFields entries by manager and version, as they grow; only on request. */
export function managedFieldsQuery(cluster: string, crd: string) {
  const queryKey = ["managed-fields", cluster, crd];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      let counts: ManagedFields | undefined;
      for await (const line of getJsonLines(`${crdPath(cluster, crd)}/managed-fields`, managedFieldsSchema, signal)) {
        counts = line;
        client.setQueryData<ManagedFields>(queryKey, line);
      }
      if (!counts) throw new Error("The count returned no result.");
      return counts;
    },
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
