import { mutationOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { type DryRun, dryRunListSchema, dryRunSchema, type StartDryRun, startedDryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { listedDryRun } from "#lib/domain/losses/dry-run.ts";
import { getJson, getJsonLines, postJson } from "#lib/queries/api-client.ts";
import { crdPath, dryRunPath } from "#lib/queries/api-paths.ts";
import { clusterKey, crdQuery } from "#lib/queries/definition/crd-queries.ts";

/** A stream that stays silent this long may be stuck; refetching finds out. */
const QUIET_MS = 5_000;

/** The dry runs of one definition that this crdshift process remembers, newest first. */
export function dryRunsQuery(cluster: string, crd: string) {
  return queryOptions({
    queryKey: [...clusterKey(cluster), "dry-runs", crd],
    queryFn: ({ signal }) => getJson(`${crdPath(cluster, crd)}/dry-runs`, dryRunListSchema, signal),
  });
}

/** One dry run: its current state, then its progress until it ends or its stream falls silent. */
export function dryRunQuery(cluster: string, crd: string, id: string) {
  const queryKey = [...clusterKey(cluster), "dry-run", crd, id];
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      const path = dryRunPath(cluster, crd, id);
      let dryRun = await getJson(path, dryRunSchema, signal);
      if (dryRun.phase !== "running") return dryRun;
      client.setQueryData<DryRun>(queryKey, dryRun);
      for await (const line of untilQuiet(QUIET_MS, signal, (quiet) => getJsonLines(path, dryRunSchema, quiet))) {
        dryRun = line;
        client.setQueryData<DryRun>(queryKey, line);
      }
      if (dryRun.phase !== "running") noteEnd(client, cluster, dryRun);
      return dryRun;
    },
  });
}

/** The list says at once that a dry run has ended. The definition, which now contains its summary, is read again. */
export function noteEnd(client: QueryClient, cluster: string, ended: DryRun): void {
  client.setQueryData(
    dryRunsQuery(cluster, ended.crd).queryKey,
    (list) => list && { items: list.items.map((one) => (one.id === ended.id ? listedDryRun(ended) : one)) },
  );
  void client.invalidateQueries({ queryKey: crdQuery(cluster, ended.crd).queryKey });
}

/** Forwards items, and ends without an error after `quietMs` of silence. */
export async function* untilQuiet<Item>(
  quietMs: number,
  signal: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), quietMs);
  try {
    for await (const item of open(AbortSignal.any([signal, quiet.signal]))) {
      clearTimeout(timer);
      yield item;
      timer = setTimeout(() => quiet.abort(), quietMs);
    }
  } catch (error) {
    if (!quiet.signal.aborted || signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
}

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
