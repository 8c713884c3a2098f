import { expect, test } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { readReport } from "#lib/cluster/history/read-report.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { untilRecorded } from "./record-action.ts";
import { updateRecord } from "./update-record.ts";

const { connection, define, flip } = await openTestBench();
const status = (code: number, reason: string) => ({
  ...{ kind: "answer" as const, status: code },
  body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason }),
});

// With "unknown" taken for a name it stands in Events, in the prune and in the report; without readCrd the report is made from the watch.
faultTest("no user is named that the API server did not name, and no report is made if the definition can't be read", async (bench) => {
  const whoAmI: Match = ({ path }) => path.includes("/selfsubjectreviews");
  bench.proxy.inject(whoAmI, status(403, "Forbidden"), Number.POSITIVE_INFINITY);
  const definition = await bench.stale(5);
  const { id } = await bench.rewrite(definition, { acceptUnseen: true });
  await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  await untilRecorded();

  const { items, events } = await readHistory(bench.connection, definition.name, soon());
  expect(events).toMatchObject({ state: "read", count: 3 });
  expect(items.map(({ kind, by }) => [kind, by])).toEqual([
    ["pruned", null],
    ["succeeded", null],
    ["proven", null],
    ["started", null],
  ]);
  const report = await readReport(bench.connection, definition.name, id, soon());
  expect(report).toMatchObject({ run: { startedBy: null }, prune: { state: "pruned", prune: { by: null, runId: id } } });

  const read: Match = ({ method, path }) => method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`);
  bench.proxy.inject(read, status(403, "Forbidden"), Number.POSITIVE_INFINITY);
  expect(await readRun(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "succeeded" });
  await expect(readReport(bench.connection, definition.name, id, soon())).rejects.toMatchObject({ code: "forbidden" });
});

test("a run that went silent and was cancelled has sent at least what it last reported", async () => {
  const definition = await define(beforeFlip);
  await flip(definition, afterFlip);
  const sent = { rewrite: 40, verify: 0, status: 0, ownership: 0, dryRun: 0, atLeast: false, tested: false };
  const silent = sampleRun({ crd: definition.name, sent });
  await updateRecord(connection, definition.name, (_crd, record) => ({ ...record, holder: "another process", runs: [silent] }), soon());
  expect(await cancelRewrite(connection, definition.name, silent.id, soon())).toMatchObject({
    ...{ phase: "cancelled", sent: { rewrite: 40, atLeast: true } },
  });
  await untilRecorded();
  const report = await readReport(connection, definition.name, silent.id, soon());
  expect(report.outcomes).toMatchObject({ rewritten: 40, mayBeMore: true });
  expect(report.patches[0]).toMatchObject({ count: 40, atLeast: true });
});
