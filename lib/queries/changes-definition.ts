import { mutationOptions, type QueryKey } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { isGivenUp } from "./api-client.ts";
import { crdQuery } from "./crd-queries.ts";
import { putDetail } from "./put-detail.ts";

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
