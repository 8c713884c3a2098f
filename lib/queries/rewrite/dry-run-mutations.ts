import { mutationOptions } from "@tanstack/react-query";
import { type Preflight, preflightSchema, type StartPreflight, startedPreflightSchema } from "#lib/contract/rewrite/dry-run.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { crdPath, preflightPath } from "#lib/queries/api-paths.ts";
import { preflightQuery, preflightsQuery } from "./dry-run-queries.ts";

/** Starts a dry run; answers with its id. */
export function startPreflight(cluster: string, crd: string) {
  return mutationOptions({
    mutationFn: (options: StartPreflight) => postJson(`${crdPath(cluster, crd)}/preflights`, options, startedPreflightSchema),
    onSettled: (_started, _error, _options, _result, { client }) => {
      void client.invalidateQueries({ queryKey: preflightsQuery(cluster, crd).queryKey });
    },
  });
}

/** Ends a dry run; what it has found stays. */
export function cancelPreflight(cluster: string, crd: string, id: string) {
  const { queryKey } = preflightQuery(cluster, crd, id);
  return mutationOptions({
    mutationFn: () => postJson(`${preflightPath(cluster, crd, id)}/cancel`, {}, preflightSchema),
    onSuccess: (preflight: Preflight, _nothing, _result, { client }) => {
      client.setQueryData<Preflight>(queryKey, preflight);
      void client.invalidateQueries({ queryKey: preflightsQuery(cluster, crd).queryKey });
    },
  });
}
