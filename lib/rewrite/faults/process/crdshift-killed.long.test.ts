import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { Run, StartRewrite } from "#lib/contract/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, listOf, past, patchOf, recordOf, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { writesAt } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 30;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 10;
const TAKE_OVER_SHOWN_MS = 90_000;
/** There a run is not renewed any more, and would soon count as silent while others are prepared. */
const PREPARED_LAST = "before the proof";

interface Stage {
  when: "before" | "after";
  of(definition: SampleDefinition): Match;
  /** Losses are accepted if not given: then it makes no dry run. */
  options?: StartRewrite;
  /** What is true where it was killed. */
  killed: { settled: boolean; proven: boolean; pruned: boolean };
}

const dryRunOf = (definition: SampleDefinition): Match => {
  return ({ path }) => path.startsWith(`/apis/${definition.group}/`) && path.includes("dryRun");
};
const discoveryOf = (definition: SampleDefinition): Match => {
  return ({ path }) => path === `/apis/${definition.group}/v1`;
};
const proofOf = (definition: SampleDefinition) => recordOf(definition, '\\"proof\\":{');

const nothing = { settled: false, proven: false, pruned: false };
const settled = { ...nothing, settled: true };
const proven = { ...settled, proven: true };
const pruned = { ...proven, pruned: true };

const stages: Record<string, Stage> = {
  "in its own dry run": { when: "before", of: dryRunOf, options: {}, killed: nothing },
  "in the settle wait": { when: "before", of: discoveryOf, killed: nothing },
  "before the list": { when: "before", of: listOf, killed: settled },
  "mid page": { when: "before", of: (definition) => past(DONE, patchOf(definition)), killed: settled },
  "after a patch": { when: "after", of: (definition) => past(DONE, patchOf(definition)), killed: settled },
  [PREPARED_LAST]: { when: "before", of: proofOf, killed: settled },
  "after the proof": { when: "after", of: proofOf, killed: proven },
  "before the prune": { when: "before", of: statusWriteOf, killed: proven },
  "after the prune": { when: "after", of: statusWriteOf, killed: pruned },
};

// Without the settle point of the record (recordedSettlePoint in run-rewrite.ts) a resumed run takes a new one and tries every object again.
faultTest("crdshift is killed at each stage, and another one finishes each run", async (bench) => {
  const { cluster, proxy, stale, storedAs, changes } = bench;
  const first = await startCrdshift(cluster, proxy);
  const prepared = await Promise.all(
    Object.entries(stages).map(async ([name, stage]) => ({ name, stage, definition: await stale(OBJECTS) })),
  );
  const second = await startCrdshift(cluster, proxy);
  const bringThere = async ({ name, stage, definition }: (typeof prepared)[number]) => {
    // What gives up waiting and tries again is held again.
    const held = proxy.hold(stage.of(definition), stage.when, stage.when === "before" ? Number.POSITIVE_INFINITY : 1);
    const id = await first.start(definition, stage.options ?? { acceptUnseen: true });
    if (name.endsWith("the prune")) {
      await expect.poll(async () => (await first.run(definition, id)).phase, SOON).toBe("succeeded");
      // Nothing will answer it.
      first.prune(definition).catch(() => {});
    }
    await held.reached;
    if (name === "mid page") await expect.poll(async () => (await first.run(definition, id)).counts.rewritten, SOON).toBe(DONE);
    return { name, stage, definition, id, held };
  };
  const isLast = ({ name }: (typeof prepared)[number]) => name === PREPARED_LAST;
  const cases = await Promise.all(prepared.filter((one) => !isLast(one)).map(bringThere));
  cases.push(...(await Promise.all(prepared.filter(isLast).map(bringThere))));
  expect(await first.stop("SIGKILL")).toBeNull();
  const sentBefore = proxy.seen.length;
  await Promise.all(
    cases.map(async ({ name, stage, definition, id }) => {
      if (!stage.killed.proven) await expect(second.resume(definition, id), name).rejects.toThrow(/^conflict: /);
    }),
  );

  for (const { held } of cases) held.release();
  const states = await Promise.all(
    cases.map(async (one) => ({
      ...one,
      record: await readRecord(one.definition),
      done: (await storedAs(one.definition)).v1 ?? 0,
    })),
  );
  for (const { name, stage, record, definition } of states) {
    const { storedVersions } = (await definition.read()).status;
    const { settlePoint, proof } = record;
    expect({ settled: settlePoint !== null, proven: proof !== null, pruned: storedVersions.length === 1 }, name).toEqual(stage.killed);
  }

  const ends = await Promise.all(
    states.map(async (one) => {
      const { definition, id, stage } = one;
      const now = () => second.run(definition, id);
      if (!stage.killed.proven) {
        await expect.poll(async () => (await now()).phase, { timeout: TAKE_OVER_SHOWN_MS }).toBe("interrupted");
        await second.resume(definition, id);
      }
      await expect.poll(async () => (await now()).phase, SOON).toBe("succeeded");
      return { ...one, run: await now(), proven: await readRecord(definition) };
    }),
  );
  const written = await changes();
  for (const { name, stage, record, done, definition, run, proven } of ends) {
    expect(await storedAs(definition), name).toEqual({ v1: OBJECTS });
    expect([...writesAt(written, definition, "v1").values()], name).toEqual(Array(OBJECTS).fill(1));
    expect(proven.proof, name).toMatchObject({ objects: OBJECTS, runId: run.id });
    if (stage.killed.settled) expect(proven.settlePoint, name).toEqual(record.settlePoint);
    if (stage.killed.proven) expect(proven, name).toEqual(record);
    else expectAllDone(run, { done, name, hasBegun: stage.killed.settled });
  }
  // What had been answered, or committed, is not sent again.
  const patches = (definition: SampleDefinition, from: number) => proxy.seen.slice(from).filter(patchOf(definition)).length;
  for (const { name, definition, done, stage } of ends) {
    expect(patches(definition, sentBefore), name).toBe(stage.killed.proven ? 0 : OBJECTS - done);
  }

  for (const { name, stage, definition } of ends) {
    if (stage.killed.pruned) await expect(second.prune(definition)).rejects.toThrow(/^precondition_failed: There is nothing to prune/);
    else await second.prune(definition);
    expect(await second.detail(definition), name).toMatchObject({ storedVersions: ["v1"], lastPrune: { versions: ["v1beta1"] } });
    expect((await second.restore(definition, ["v1beta1"])).storedVersions, name).toEqual(["v1beta1", "v1"]);
  }
});

/** How many of those that the killed process rewrote are on record depends on its last renewal. */
function expectAllDone(
  { counts, rewrittenAtLeast }: Run,
  { done, name, hasBegun }: { done: number; name: string; hasBegun: boolean },
): void {
  expect({ counts, rewrittenAtLeast }, name).toMatchObject({
    counts: { total: OBJECTS, gone: 0, rejected: 0, remaining: 0 },
    // Before its settle point is on record, it has rewritten nothing.
    rewrittenAtLeast: hasBegun,
  });
  expect(counts.rewritten + counts.alreadyCurrent, name).toBe(OBJECTS);
  expect(counts.rewritten, name).toBeGreaterThanOrEqual(OBJECTS - done);
}
