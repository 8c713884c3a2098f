import { expect, onTestFinished, test } from "vitest";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { holdElsewhere, readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const { api, connection, define, flip, stale, rewrite, run, endOf } = await openTestBench();
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

// Without the monotonic clock (settle-wait.ts) the wait is over at once.
faultTest("a Date header that is 70 s ahead does not end the settle wait", async (bench) => {
  const definition = await bench.define(beforeFlip);
  await definition.createObjects("v1beta1", 2);
  await fleetOf(bench.connection).listed(soon());
  await expect.poll(() => fleetOf(bench.connection).crd(definition.name)?.generation).toBe(1);
  bench.proxy.aheadBy(70_000);
  const flippedAt = performance.now();
  await bench.flip(definition, afterFlip);
  await expect.poll(() => fleetOf(bench.connection).crd(definition.name)?.generation).toBe(2);
  const settleSeconds = 9;
  const { id } = await startRewrite(bench.connection, definition.name, { settleSeconds, acceptUnseen: true, signal: soon() });
  const because = async () => (await bench.run(definition, id)).statusReason ?? "";
  await expect.poll(because, { interval: 20 }).toMatch(/By the API server's clock, the spec changed 7\d s ago; by crdshift's, \d s ago/);
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  expect(performance.now() - flippedAt).toBeGreaterThan(settleSeconds * 1_000);
});

// Without shortWait (valid-evidence.ts) the prune answers 200.
test("a proof that rests on a shorter wait than the setting is worth nothing", async () => {
  const definition = await stale(2);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { settlePoint } = await readRecord(definition);
  process.env.CRDSHIFT_SETTLE_SECONDS = "1";
  onTestFinished(() => {
    process.env.CRDSHIFT_SETTLE_SECONDS = "0";
  });
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    message: expect.stringContaining("it rests on a settle wait of 0 s, and this crdshift waits 1 s"),
  });
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: 1, acceptUnseen: true, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
  expect((await readRecord(definition)).settlePoint).not.toEqual(settlePoint);
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
});

// Without the Leases (settle.ts) the run begins while an API server that hangs may still store an object as v1beta1.
test("an API server that does not renew its identity Lease is named, and waited for", async () => {
  const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
  const name = `apiserver-${Date.now()}`;
  const spec = { holderIdentity: name, leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace("Z", "000Z") };
  await api.create(leases, {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec },
    metadata: { name, namespace: "kube-system", labels: { "apiserver.kubernetes.io/identity": "kube-apiserver" } },
  });
  onTestFinished(async () => void (await api.delete(`${leases}/${name}`)));
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", 2);
  await flip(definition, afterFlip);
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: 1, acceptUnseen: true, signal: soon() });
  const because = async () => (await run(definition, id)).statusReason ?? "";
  await expect.poll(because, { timeout: 60_000 }).toMatch(`Waiting for ${name} to renew its identity Lease`);
  expect((await run(definition, id)).phase).toBe("settling");
  await api.mergePatch(`${leases}/${name}`, { spec: { renewTime: new Date(Date.now() + 1_000).toISOString().replace("Z", "000Z") } });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded" });
});

// Without the earliest time of a generation (first-seen.ts) each stamp begins the wait again.
test("an operator that stamps the definition's annotations does not hold the settle wait", async () => {
  const definition = await stale(2);
  let stamps = 0;
  const stamping = setInterval(() => {
    stamps += 1;
    const annotations = { "example.com/reconciled": String(stamps) };
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
    api.mergePatch(path, { metadata: { annotations } }).catch(() => {});
  }, 500);
  onTestFinished(() => clearInterval(stamping));
  const { id } = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 4, signal: soon() });
  await expect.poll(async () => (await run(definition, id)).phase, { timeout: 30_000 }).toBe("succeeded");
  expect(stamps).toBeGreaterThan(2);
});

// Without the absolute difference (asOf, run.ts) start, resume and cancel all refuse until the time that the dead holder wrote.
test("a holder that died with a fast clock does not hold the definition", async () => {
  const definition = await stale(1);
  const { id } = await rewrite(definition, { acceptUnseen: true });
  await holdElsewhere(api, definition, { phase: "rewriting", endedAt: null, renewedAt: ago(-7 * 24 * 60 * 60_000) });
  await expect.poll(async () => (await run(definition, id)).phase).toBe("interrupted");
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
});
