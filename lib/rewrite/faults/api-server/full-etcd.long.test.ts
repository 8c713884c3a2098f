import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { type Etcd, postToEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const FULL = "mvcc: database space exceeded";
/** As the API server answers. */
const full = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message: `etcdserver: ${FULL}`, code: 500 });
/** More than are cleaned at once, so that some are left for a comparison. */
const OBJECTS = 24;
/** Far longer than five tries and a comparison with another object. */
const OUTAGE_MS = 20_000;

/** Sets or clears etcd's alarm for a full disk: it takes no writes, and answers all reads. */
async function setAlarm(etcd: Etcd, action: "ACTIVATE" | "DEACTIVATE"): Promise<void> {
  const { members } = (await postToEtcd(etcd, "/v3/cluster/member/list", {})) as { members: [{ ID: string }] };
  await postToEtcd(etcd, "/v3/maintenance/alarm", { action, memberID: members[0].ID, alarm: "NOSPACE" });
}

// Where dry runs of others show that storing works (haveWorked of object-failures.ts) objects are rejected, though nothing is wrong with
// them.
faultTest("an etcd that takes no writes rejects no object: the run waits with the cause, then ends proven", async (bench) => {
  const { cluster, stale, start, run, endOf, storedAs, rewritten } = bench;
  const definition = await stale(60);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await rewritten(definition, id, 8);
  await setAlarm(cluster.etcd, "ACTIVATE");
  onTestFinished(() => setAlarm(cluster.etcd, "DEACTIVATE"));
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 }).toContain(FULL);
  await wait(OUTAGE_MS);
  expect((await run(definition, id)).counts).toMatchObject({ rejected: 0 });
  await setAlarm(cluster.etcd, "DEACTIVATE");
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 60 });
});

// The same; and where a dry run ends the outage (progressed of outage-gate.ts) the cleaning never ends, should etcd stay full.
faultTest("cleaning rejects no object either", async (bench) => {
  const { connection, proxy } = bench;
  const definition = await applied(bench, OBJECTS);
  const { crd } = await readCrd(connection, definition.name, soon());
  const outage = proxy.inject(patchOf(definition), {
    kind: "answer",
    status: 500,
    headers: { "content-type": "application/json" },
    body: full,
  });
  const ends: object[] = [];
  const clean = async () => {
    for await (const { complete, cleaned, rejected } of cleanManagedFields(
      connection,
      crd,
      { versions: ["v1beta1"] },
      AbortSignal.timeout(180_000),
    ))
      if (complete) ends.push({ cleaned, rejected });
  };
  const cleaning = clean();
  await wait(OUTAGE_MS);
  outage.stop();
  await cleaning;
  expect(ends).toEqual([{ cleaned: OBJECTS, rejected: 0 }]);
});

// Without isShownBy("storing") (whatFailsOf of object-failures.ts) the run waits for ten minutes, and ends without naming it.
faultTest("a single object that can't be stored, although a dry run of it works, is rejected while others are stored", async (bench) => {
  const { stale, start, endOf, storedAs, proxy } = bench;
  const definition = await stale(80);
  const isReal: Match = patchOf(definition, objectName(3));
  proxy.inject(isReal, { kind: "answer", status: 500, headers: { "content-type": "application/json" }, body: full });
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  const end = await endOf(definition, id);
  expect(end).toMatchObject({ phase: "unproven", counts: { rewritten: 79, rejected: 1 } });
  expect(end.rejections).toMatchObject([{ message: expect.stringContaining(FULL), examples: [{ name: objectName(3) }] }]);
  expect(await storedAs(definition)).toEqual({ v1: 79, v1beta1: 1 });
});

// Without releasedAt (fails-alone.ts) each run waits for ten minutes, and ends without naming them.
faultTest(
  "two objects that can't be stored, and are all that is left to write, are named: the run's record is stored meanwhile",
  async (bench) => {
    const { stale, start, endOf, storedAs, proxy } = bench;
    const definition = await stale(4);
    proxy.inject((request) => [0, 1].some((index) => patchOf(definition, objectName(index))(request)), {
      kind: "answer",
      status: 500,
      headers: { "content-type": "application/json" },
      body: full,
    });
    const { id } = await start(definition, { acceptUnseen: true });
    const end = await endOf(definition, id);
    expect(end).toMatchObject({ phase: "unproven", counts: { rewritten: 2, rejected: 2 } });
    expect(end.rejections).toMatchObject([{ message: expect.stringContaining(FULL), count: 2 }]);
    expect(await storedAs(definition)).toEqual({ v1: 2, v1beta1: 2 });
  },
);

/** Objects that someone applied at v1beta1, now at v1. */
async function applied({ define, flip, apply }: FaultBench, count: number): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1" }, { name: "v1beta1", storage: true }]);
  for (let index = 0; index < count; index += 1) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  return definition;
}
