import { mutationOptions, type QueryClient } from "@tanstack/react-query";
import {
  type ChangeRewrite,
  type ResumeRewrite,
  type Run,
  runSchema,
  type StartRewrite,
  startedRewriteSchema,
} from "#lib/contract/rewrite/run.ts";
import { patchJson, postJson } from "#lib/queries/api-client.ts";
import { crdPath, rewritePath } from "#lib/queries/api-paths.ts";
import { crdQuery } from "#lib/queries/definition/crd-queries.ts";
import { putRun } from "#lib/queries/live/apply-event.ts";
import type { NamedChange } from "#lib/queries/session/protection.ts";
import { rewritesQuery } from "./rewrite-queries.ts";

const RESUME: NamedChange = { label: "Resume", isRecorded: true };

/** Starts a rewrite and returns its id; `label` is the button's text. */
export function startRewrite(cluster: string, crd: string, label: string) {
  const change: NamedChange = { label, isRecorded: true };
  return mutationOptions({
    mutationFn: (options: StartRewrite) => postJson(`${crdPath(cluster, crd)}/rewrites`, options, startedRewriteSchema, change),
    onSettled: (_started, _error, _options, _result, { client }) => refreshRuns(client, cluster, crd),
  });
}

/** Cancels a run after the objects in flight. */
export function cancelRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, () => postJson(`${rewritePath(cluster, crd, id)}/cancel`, {}, runSchema));
}

/** Pauses a run after the objects in flight. */
export function pauseRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, () => postJson(`${rewritePath(cluster, crd, id)}/pause`, {}, runSchema));
}

/** Resumes a paused or interrupted run where it stopped, or takes back a pending pause. */
export function resumeRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, () => postJson(`${rewritePath(cluster, crd, id)}/resume`, {}, runSchema, RESUME));
}

/** Resumes an interrupted run and accepts losses. */
export function acceptAndResumeRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, (accepted: ResumeRewrite) =>
    postJson(`${rewritePath(cluster, crd, id)}/resume`, accepted, runSchema, RESUME),
  );
}

/** Changes the maximum number of objects per second, from the next object on. */
export function changeRewrite(cluster: string, crd: string, id: string) {
  return commandRun(cluster, crd, (change: ChangeRewrite) => patchJson(rewritePath(cluster, crd, id), change, runSchema));
}

function commandRun<Input = void>(cluster: string, crd: string, send: (input: Input) => Promise<Run>) {
  return mutationOptions({
    mutationFn: send,
    onSuccess: (run: Run, _input, _result, { client }) => putRun(client, cluster, run),
    onSettled: (_run, _error, _input, _result, { client }) => refreshRuns(client, cluster, crd),
  });
}

// Not awaited: a mutation ends when the server answers.
function refreshRuns(client: QueryClient, cluster: string, crd: string): void {
  void client.invalidateQueries({ queryKey: crdQuery(cluster, crd).queryKey });
  void client.invalidateQueries({ queryKey: rewritesQuery(cluster, crd).queryKey });
}
