import { queryOptions } from "@tanstack/react-query";
import { type ManagedFields, managedFieldsSchema } from "#lib/contract/objects/managed-fields.ts";
import { getJsonLines } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";

/** Whose managedFields entries name which version, as the count grows; only when a person asks. */
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
      if (!counts) throw new Error("The count ended without a result.");
      return counts;
    },
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
