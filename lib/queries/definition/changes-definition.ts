import { mutationOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { isGivenUp } from "#lib/queries/api-client.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-queries.ts";
import { crdQuery, crdsQuery } from "./crd-queries.ts";

/**
 * A mutation that returns the changed definition. After a refusal, it refetches the definition, and with it the queries in `inDoubt`,
 * before it settles.
 */
export function changesDefinition<Variables>(
  cluster: string,
  crd: string,
  mutationFn: (variables: Variables) => Promise<CrdDetail>,
  inDoubt?: QueryKey,
) {
  return mutationOptions({
    mutationFn,
    onSuccess: (detail: CrdDetail, _variables, _result, { client }) => putDetail(client, cluster, detail),
    onError: (error, _variables, _result, { client }) => {
      // A change that was given up changed nothing; free its button immediately.
      if (isGivenUp(error)) return;
      if (inDoubt) void client.invalidateQueries({ queryKey: inDoubt });
      return client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
    },
  });
}

/** Shows the definition that an action returned and refetches the data that depends on it, without waiting for that. */
function putDetail(client: QueryClient, cluster: string, detail: CrdDetail): void {
  client.setQueryData(crdQuery(cluster, detail.name).queryKey, detail);
  void client.invalidateQueries({ queryKey: crdsQuery(cluster).queryKey });
  void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, detail.name).queryKey });
}
