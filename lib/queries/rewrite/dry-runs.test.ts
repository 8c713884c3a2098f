import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { listedDryRun } from "#lib/domain/losses/dry-run.ts";
import { dryRunsQuery, noteEnd, untilQuiet } from "./dry-runs.ts";

const never = new AbortController().signal;

/** Yields `items`, then nothing until aborted. */
async function* thenSilent(items: number[], signal: AbortSignal): AsyncGenerator<number> {
  yield* items;
  signal.throwIfAborted();
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

async function collect(source: AsyncIterable<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of source) items.push(item);
  return items;
}

it("a stream that falls silent ends with what it has delivered", async () => {
  expect(await collect(untilQuiet(20, never, (signal) => thenSilent([1, 2], signal)))).toEqual([1, 2]);
});

it("a stream whose reader leaves fails with the reader's reason", async () => {
  const leaving = new AbortController();
  const collected = collect(untilQuiet(10_000, leaving.signal, (signal) => thenSilent([1], signal)));
  leaving.abort(new Error("left"));
  await expect(collected).rejects.toThrow("left");
});

it("a stream that fails throws its error", async () => {
  const failing = async function* (): AsyncGenerator<number> {
    yield 1;
    throw new Error("broken");
  };
  await expect(collect(untilQuiet(10_000, never, failing))).rejects.toThrow("broken");
});

it("has ended in the definition's list as soon as its own page knows", () => {
  const outcome: DryRun["dryRun"] = {
    ...{ total: 1, planned: 1, alreadyCurrent: 0, checked: 1, onlyRead: 0, wouldPass: 1, wouldBeRejected: 0, gone: 0, cannotDryRun: 0 },
    ...{ rejections: [], cannot: [], generationRises: 0 },
  };
  const ended: DryRun = {
    ...{ id: "one", crd: "crontabs.example.com", uid: "u", generation: 1, storageVersion: "v1", phase: "succeeded", startedBy: "alice" },
    ...{ startedAt: "2026-01-02T11:58:00.000Z", endedAt: "2026-01-02T11:59:00.000Z", sampleSize: 10, checks: [], dryRun: outcome },
    ...{
      losses: [],
      moreLosses: 0,
      lossesKnown: true,
      lossesUnknownBecause: null,
      unknownMayPass: false,
      message: null,
      resourceVersion: null,
    },
  };
  const client = new QueryClient();
  const { queryKey } = dryRunsQuery("kind", ended.crd);
  client.setQueryData(queryKey, {
    items: [listedDryRun({ ...ended, phase: "running", endedAt: null }), listedDryRun({ ...ended, id: "other" })],
  });
  noteEnd(client, "kind", ended);
  expect(client.getQueryData(queryKey)?.items.map(({ id, phase }) => [id, phase])).toEqual([
    ["one", "succeeded"],
    ["other", "succeeded"],
  ]);
});
