import { expect, test } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";
import { stopRunning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

const { api, connection, stale, rewrite, run, endOf } = await openTestBench();

const OBJECTS = 3;
const FOREVER = Number.POSITIVE_INFINITY;
const AT_ONCE_MS = 2_000;
const watches: Match = ({ path }) => path.startsWith("/apis/apiextensions.k8s.io/") && path.includes("watch=1");
const isReading: Match = ({ method, path, headers }) =>
  method === "GET" && path.includes("/customresourcedefinitions/") && headers.accept?.includes("PartialObjectMetadata") === true;

/** A run whose writes are all stored, and none of which is answered. */
async function unanswered({ proxy, stale, dryRun, start }: FaultBench) {
  const definition = await stale(OBJECTS, { spec: () => ({ note: "precious" }) });
  await dryRun(definition);
  proxy.hold(patchOf(definition), "after", FOREVER);
  const { id } = await start(definition);
  await expect.poll(() => proxy.seen.filter(patchOf(definition)).length, { timeout: 20_000 }).toBe(OBJECTS);
  return { definition, id };
}

/** Ends it as a shutdown does. Returns what its record says then. */
async function shutDown(definition: SampleDefinition, id: string) {
  const pressedAt = performance.now();
  await stopRunning({ crd: definition.name, id }, new StopRun("interrupted", "crdshift was shut down."));
  expect(performance.now() - pressedAt).toBeLessThan(AT_ONCE_MS);
  const { runs } = await readRecord(definition);
  return runs[0];
}

// Without its writes in finishRun (run-rewrite.ts) it says no more than that crdshift was shut down.
faultTest("an interrupted run tells of writes that met another definition", async (bench) => {
  bench.proxy.inject(watches, { kind: "hang" });
  const { definition, id } = await unanswered(bench);
  bench.proxy.hold(isReading, "before", FOREVER);
  await definition.setVersions(beforeFlip);
  expect(await shutDown(definition, id)).toMatchObject({
    phase: "interrupted",
    statusReason: expect.stringMatching(/^crdshift was shut down\. 3 objects were written after crdshift last found/),
  });
});

// Without lastLook (run-rewrite.ts) nobody reads once more.
faultTest("an interrupted run tells of a webhook installed while it wrote", async (bench) => {
  const { definition, id } = await unanswered(bench);
  await removeNotes(bench.api, definition);
  expect(await shutDown(definition, id)).toMatchObject({
    phase: "interrupted",
    statusReason: expect.stringContaining(`Up to ${OBJECTS} objects written in that time weren't checked first`),
  });
});

faultTest("an interrupted run whose definition is unchanged says no more than why", async (bench) => {
  const { definition, id } = await unanswered(bench);
  expect(await shutDown(definition, id)).toMatchObject({ phase: "interrupted", statusReason: "crdshift was shut down." });
});

/** A run whose process was killed while it wrote, on a definition that has changed since. */
async function killed() {
  const definition = await stale(OBJECTS);
  const { id } = await rewrite(definition, { acceptUnseen: true });
  await holdElsewhere(api, definition, { phase: "rewriting", endedAt: null, renewedAt: new Date(Date.now() - 60_000).toISOString() });
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }, { name: "v1alpha1" }]);
  await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  return { definition, id };
}

const silent = expect.stringContaining("Nobody knows which objects the rewrite wrote last before its process ended");

// Without unknownWrites (unknown-writes.ts) neither says a word of what the dead process wrote last.
test("a run that is resumed after its process was killed tells, at its end, that the definition has changed since", async () => {
  const { definition, id } = await killed();
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, acceptUnseen: true, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", statusReason: silent });
});

test("a run that is cancelled after its process was killed tells that the definition has changed since", async () => {
  const { definition, id } = await killed();
  expect(await cancelRewrite(connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled", statusReason: silent });
});
