import { expect, onTestFinished, test } from "vitest";
import { benchIn } from "#lib/rewrite/testing/bench/bench-in.ts";
import { startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

const OBJECTS = 200;

const { cluster, api } = await ownCluster();

// Without stopped (finish-run.ts) the run shows what its record has, which is a renewal behind, as exact: it "rewrote 0 objects".
test("a run that is cancelled while the API server is frozen keeps what it has done, and can be resumed", {
  timeout: 120_000,
}, async () => {
  const bench = await benchIn({ cluster, api });
  const definition = await bench.stale(OBJECTS);
  const crdshift = await startCrdshift(cluster, { server: cluster.server }, { settleSeconds: 0 });
  const id = await crdshift.start(definition, { maxPerSecond: 20, acceptUnseen: true });
  const storedAtV1 = async () => (await bench.storedAs(definition)).v1 ?? 0;
  await expect.poll(storedAtV1, { timeout: 30_000, interval: 20 }).toBeGreaterThan(20);
  const thaw = freeze();
  const url = `${crdshift.url}/api/clusters/faults/crds/${definition.name}/rewrites/${id}/cancel`;
  const answer = await askDashboard(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  const rewritten = await storedAtV1();
  const told = { phase: "interrupted", counts: { rewritten: expect.any(Number) } };
  expect([answer.status, await answer.json()]).toMatchObject([502, { error: { details: { run: told } } }]);
  const shown = await crdshift.run(definition, id);
  expect(shown).toMatchObject(told);
  expect(shown.counts.rewritten).toBeGreaterThan(0);
  // Those whose answers were on their way are unknown; if there were none, the count is exact.
  expect(shown.rewrittenAtLeast ? shown.counts.rewritten <= rewritten : shown.counts.rewritten === rewritten).toBe(true);
  thaw();
  await crdshift.resume(definition, id);
  await expect.poll(async () => (await crdshift.run(definition, id)).phase, { timeout: 60_000 }).toBe("succeeded");
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  // Without unchanged (unrecorded-ends.ts) the proven run says for good that objects may have lost fields.
  const end = await crdshift.run(definition, id);
  expect(end).toMatchObject({ statusReason: null, caveats: [] });
  expect(end.interruptions).toMatchObject([{ because: "It was stopped while the API server didn't answer." }]);
});

/** Stops the API server's process, until the end of the test or the call that it returns. */
function freeze(): () => void {
  const pid = cluster.apiServer.pid();
  const thaw = () => void process.kill(pid, "SIGCONT");
  process.kill(pid, "SIGSTOP");
  onTestFinished(thaw);
  return thaw;
}
