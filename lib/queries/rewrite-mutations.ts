import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import { type Run, runSchema, type StartRewrite, startedRewriteSchema } from "#lib/contract/run.ts";
import { postJson } from "./api-client.ts";
import { crdPath, rewritePath } from "./api-paths.ts";
import { putRun } from "./apply-event.ts";
import { crdQuery } from "./crd-queries.ts";
import { rewritesQuery } from "./rewrite-queries.ts";

/** Starts a rewrite; answers with its id. */
export function startRewrite(cluster: string, crd: string) {
  return mutationOptions({
    mutationFn: (options: StartRewrite) => postJson(`${crdPath(cluster, crd)}/rewrites`, options, startedRewriteSchema),
    onSettled: (_started, _error, _options, _result, { client }) => refreshRuns(client, cluster, crd),
  });
}

/** Asks a run to stop after the objects in flight. */
export function cancelRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, id, "cancel");
}

/** Goes on with an interrupted run where it stopped. */
export function resumeRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, id, "resume");
}

function commandRun(cluster: string, crd: string, id: string, command: "cancel" | "resume") {
  return mutationOptions({
    mutationFn: () => postJson(`${rewritePath(cluster, crd, id)}/${command}`, {}, runSchema),
    onSuccess: (run: Run, _nothing, _result, { client }) => putRun(client, cluster, run),
    onSettled: (_run, _error, _nothing, _result, { client }) => refreshRuns(client, cluster, crd),
  });
}

// Not awaited: a mutation is over when the server has answered it.
function refreshRuns(client: QueryClient, cluster: string, crd: string): void {
  void client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
  void client.invalidateQueries({ queryKey: rewritesQuery(cluster, crd).queryKey });
}
