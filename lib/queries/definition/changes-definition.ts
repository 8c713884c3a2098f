import { mutationOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { isGivenUp } from "#lib/queries/api-client.ts";
import { objectCountsQuery } from "#lib/queries/objects/object-counts-query.ts";
import { crdQuery, crdsQuery } from "./crd-queries.ts";

/**
 * A mutation whose answer is the definition as it is then. Where it is refused, it is over once the definition has been read again; what
 * else the refusal puts in doubt, `inDoubt`, is read again, too.
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
      // What somebody gave up has changed nothing, and its button is wanted at once.
      if (isGivenUp(error)) return;
      if (inDoubt) void client.invalidateQueries({ queryKey: inDoubt });
      return client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
    },
  });
}

/** Shows a definition as an action has just answered it, and asks anew for what follows from it; that is not waited for. */
function putDetail(client: QueryClient, cluster: string, detail: CrdDetail): void {
  client.setQueryData(crdQuery(cluster, detail.name).queryKey, detail);
  void client.invalidateQueries({ queryKey: crdsQuery(cluster).queryKey });
  void client.invalidateQueries({ queryKey: objectCountsQuery(cluster, detail.name).queryKey });
}
