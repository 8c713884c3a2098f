import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { type Review, reviewServer, sendJson, updateWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const { api, cluster, connection, define, flip, run, endOf, storedAs } = await openTestBench();

const OBJECTS = 5;
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const SETTLE_SECONDS = 12;
/** An API server renews its Lease every ten seconds. */
const RENEWED_WITHIN = { timeout: 60_000 };
/** With the wait before, long enough for its next renewal to be late. */
const FROZEN_ON_MS = 10_000;
/** What the frozen one's request still takes once it goes on: longer than until its next renewal, shorter than the wait. */
const SLOW_MS = 8_000;

// Two API servers on one etcd. Without the Leases (settle.ts) the run is proven while one of them hangs; without the wait after a late
// renewal (settle-wait.ts), while it still works off what it got before: then an object is left at v1beta1.
test("an API server that was frozen before the flip, and stores an object at the old version when it goes on, disproves nothing", async () => {
  const { pid, definition, late } = await freezing();
  const { answered } = await late();
  await flip(definition, afterFlip);
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: SETTLE_SECONDS, acceptUnseen: true, signal: soon() });
  const because = async () => (await run(definition, id)).statusReason ?? "";
  await expect.poll(because, RENEWED_WITHIN).toMatch(/Waiting for apiserver-\S+ to renew its identity Lease/);

  await sleep(FROZEN_ON_MS);
  process.kill(pid, "SIGCONT");
  await expect.poll(because, RENEWED_WITHIN).toMatch("identity Lease renewed late");
  await answered;
  await provesAll(definition, id);
});

// Without the Leases that appear (settle.ts) nobody notices: the others delete those of an API server that was suspended for over an hour.
test("nor does one whose Lease is gone by the flip, and that goes on while the run settles", async () => {
  const { pid, definition, lease, late } = await freezing();
  const { answered } = await late();
  await api.delete(`${LEASES}/${lease}`);
  await flip(definition, afterFlip);
  const { id } = await startRewrite(connection, definition.name, { settleSeconds: SETTLE_SECONDS, acceptUnseen: true, signal: soon() });
  await sleep(SETTLE_SECONDS * 500);
  process.kill(pid, "SIGCONT");
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", RENEWED_WITHIN).toMatch("identity Lease renewed late");
  await answered;
  await provesAll(definition, id);
});

/** A definition, and a second API server; `late` stops that one and sends it an update that it stores slowly once it goes on. */
async function freezing() {
  const leases = async () => (await api.list(LEASES)).items.map(({ metadata }) => metadata.name);
  const others = await leases();
  const second = await startLocalCluster({ beside: { etcd: cluster.etcd, hostname: `second-${others.length}` } });
  onTestFinished(() => second.stop());
  const pid = second.apiServer.pid();
  onTestFinished(() => void process.kill(pid, "SIGCONT"));
  const viaSecond = apiClient(second);
  onTestFinished(() => viaSecond.close());
  const own = async () => (await leases()).find((name) => !others.includes(name)) ?? "";
  await expect.poll(own, RENEWED_WITHIN).not.toBe("");
  const lease = await own();
  // The next test's would be silent for an hour.
  onTestFinished(() =>
    api.delete(`${LEASES}/${lease}`).then(
      () => {},
      () => {},
    ),
  );
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const { clientConfig, calls } = await reviewServer(async ({ apiVersion, kind, request }: Review, response) => {
    const isLate = request.object?.apiVersion.endsWith("/v1beta1") && request.object.spec?.note === "late";
    if (isLate) await sleep(SLOW_MS);
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await updateWebhook(api, definition, clientConfig);
  const patch = (note: string) => viaSecond.mergePatch(definition.path("v1beta1", { name: objectName(0) }), { spec: { note } });
  await expect.poll(async () => patch("early").then(calls, () => 0), RENEWED_WITHIN).toBeGreaterThan(0);
  return {
    ...{ pid, definition, lease },
    async late() {
      process.kill(pid, "SIGSTOP");
      // Taken in the last moment before it stops, the request would time out when it goes on.
      await expect.poll(() => readFileSync(`/proc/${pid}/status`, "utf8")).toMatch(/^State:\s+T/m);
      return { answered: patch("late") };
    },
  };
}

async function provesAll(definition: SampleDefinition, id: string): Promise<void> {
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
}
