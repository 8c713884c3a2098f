import { mutationOptions } from "@tanstack/react-query";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { isGivenUp } from "./api-client.ts";
import { crdQuery } from "./crd-queries.ts";
import { putDetail } from "./put-detail.ts";

/** A mutation whose answer is the definition as it is then; where it is refused, it is over once the definition has been read again. */
export function changesDefinition<Variables>(cluster: string, crd: string, mutationFn: (variables: Variables) => Promise<CrdDetail>) {
  return mutationOptions({
    mutationFn,
    onSuccess: (detail: CrdDetail, _variables, _result, { client }) => putDetail(client, cluster, detail),
    // What somebody gave up has changed nothing, and its button is wanted at once.
    onError: (error, _variables, _result, { client }) =>
      isGivenUp(error) ? undefined : client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey }),
  });
}
