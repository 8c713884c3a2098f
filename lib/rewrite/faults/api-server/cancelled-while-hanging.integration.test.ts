import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { type FaultBench, faultTest, patchOf, recordOf, sentForObjectsOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const SILENT_AFTER_MS = 1_000;
const OBJECTS = 40;
/** So slow that most objects are left when it is cancelled. */
const everyObject = { verify: "every-object", acceptUnseen: true, maxPerSecond: 5 } as const;
const always = Number.POSITIVE_INFINITY;
const isWebhookRead: Match = ({ path }) => path.includes("/mutatingwebhookconfigurations");

/** Cancels a run, and expects that nothing more is sent for its objects a second later. */
async function cancelled({ connection, proxy }: FaultBench, definition: SampleDefinition, id: string): Promise<Run> {
  const pressedAt = performance.now();
  const end = cancelRewrite(connection, definition.name, id, soon());
  await end.catch(() => {});
  // Something may still come until then.
  await expect.poll(() => performance.now() - pressedAt).toBeGreaterThan(2 * SILENT_AFTER_MS);
  expect(proxy.seen.findLast(sentForObjectsOf(definition))?.at).toBeLessThan(pressedAt + SILENT_AFTER_MS);
  return end;
}

/** A rewrite of every object that has found one stored at the old version after the proof, and waits for the write of this doubt. */
async function doubting({ stale, rewrite, start, cluster, proxy }: FaultBench, times?: number) {
  const definition = await stale(OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  const { reached, release } = proxy.hold(recordOf(definition, '\\"doubt\\":{'), "before", times);
  const { id } = await start(definition, everyObject);
  await reached;
  return { definition, id, release };
}

const doubted = { proof: null, settlePoint: null, doubt: { rejected: 0 } };

// Without rememberDoubt (withdraw-evidence.ts) the run's end has no doubt: the object that was found isn't counted yet.
faultTest("a run that is cancelled while it writes a doubt sends nothing more, and its end has the doubt", async (bench) => {
  const { definition, id } = await doubting(bench);
  expect(await cancelled(bench, definition, id)).toMatchObject({ phase: "cancelled" });
  expect(await readRecord(definition)).toMatchObject(doubted);
});

// Without withoutWithdrawn (cancel-rewrite.ts) the settle point that was shown to be wrong stays.
faultTest("if its end can't be written either, the cancel says so, and a second one writes the doubt", async (bench) => {
  const { definition, id, release } = await doubting(bench, always);
  const records = bench.proxy.hold(recordOf(definition), "before", always);
  await expect(cancelled(bench, definition, id)).rejects.toMatchObject({ code: "cluster_unreachable" });
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: expect.any(String) }, doubt: null });
  release();
  records.release();
  await expect(cancelled(bench, definition, id)).resolves.toMatchObject({ phase: "cancelled" });
  expect(await readRecord(definition)).toMatchObject(doubted);
});

faultTest("a run is cancelled while what mutates can't be read before its first write", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  await bench.dryRun(definition);
  const { reached } = bench.proxy.hold(isWebhookRead, "before", always);
  const { id } = await bench.start(definition);
  await reached;
  expect(await cancelled(bench, definition, id)).toMatchObject({ phase: "cancelled", statusReason: "Cancelled." });
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without within (lastLook in admission-watch.ts) the run's end waits for a reading that never comes.
faultTest("a run is cancelled while what mutates can't be read after its last write", async (bench) => {
  const { proxy } = bench;
  const definition = await bench.stale(3);
  await bench.dryRun(definition);
  const written = () => proxy.seen.filter((request) => patchOf(definition)(request) && request.answeredAt !== null).length;
  const { reached } = proxy.hold((request) => isWebhookRead(request) && written() === 3, "before", always);
  const { id } = await bench.start(definition);
  await reached;
  const end = { phase: "cancelled", statusReason: "Cancelled.", counts: { rewritten: 3 } };
  expect(await cancelled(bench, definition, id)).toMatchObject(end);
});
