import { mutationOptions } from "@tanstack/react-query";
import { type DryRun, dryRunSchema, type StartDryRun, startedDryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { postJson } from "#lib/queries/api-client.ts";
import { crdPath, dryRunPath } from "#lib/queries/api-paths.ts";
import { dryRunQuery, dryRunsQuery } from "./dry-run-queries.ts";

/** Starts a dry run and returns its id. */
export function startDryRun(cluster: string, crd: string) {
  return mutationOptions({
    mutationFn: (options: StartDryRun) => postJson(`${crdPath(cluster, crd)}/dry-runs`, options, startedDryRunSchema),
    onSettled: (_started, _error, _options, _result, { client }) => {
      void client.invalidateQueries({ queryKey: dryRunsQuery(cluster, crd).queryKey });
    },
  });
}

/** Cancels a dry run; its findings stay. */
export function cancelDryRun(cluster: string, crd: string, id: string) {
  const { queryKey } = dryRunQuery(cluster, crd, id);
  return mutationOptions({
    mutationFn: () => postJson(`${dryRunPath(cluster, crd, id)}/cancel`, {}, dryRunSchema),
    onSuccess: (dryRun: DryRun, _nothing, _result, { client }) => {
      client.setQueryData<DryRun>(queryKey, dryRun);
      void client.invalidateQueries({ queryKey: dryRunsQuery(cluster, crd).queryKey });
    },
  });
}
