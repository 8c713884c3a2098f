import { expect } from "vitest";
import type { Fault, Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { type FaultBench, faultTest, past } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const OBJECTS = 40;
const reset: Fault = { kind: "reset", when: "before" };
const DENIED = "is forbidden: User cannot get resource";
const denied: Fault = {
  kind: "answer",
  status: 403,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: `it ${DENIED}` }),
};

const readOf =
  (definition: SampleDefinition): Match =>
  ({ method, path }) =>
    method === "GET" && path.startsWith(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`);
const requestFor =
  (definition: SampleDefinition, verb: string, name = ""): Match =>
  ({ method, path }) =>
    method === verb && path.startsWith(`/apis/${definition.group}/`) && path.includes(`/${definition.plural}/${name}`);

// Without isEarlyDenial (classify-failure.ts), the first denial ends the run "failed".
faultTest(
  "a run that settles goes on when an API server that has just started denies it for a moment",
  async ({ connection, ...bench }) => {
    const definition = await bench.stale(1);
    const settling = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 3_600, signal: soon() });
    const because = async () => (await bench.run(definition, settling.id)).statusReason;
    await expect.poll(because, { timeout: 30_000 }).toContain("The spec changed less than");
    const outage = bench.proxy.inject(readOf(definition), reset);
    await expect.poll(because, { timeout: 30_000 }).toContain("can't be reached");
    const denial = bench.proxy.inject(readOf(definition), denied);
    outage.stop();
    await expect.poll(because, { timeout: 30_000 }).toBe(`The API server denies what it granted before: it ${DENIED}`);
    denial.stop();
    await expect.poll(because, { timeout: 30_000 }).toContain("The spec changed less than");
    await cancelRewrite(connection, definition.name, settling.id, soon());
  },
);

faultTest("a denial that no outage precedes ends the run at once, and names the right", async ({ connection, ...bench }) => {
  const definition = await bench.stale(1);
  const settling = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 3_600, signal: soon() });
  const because = async () => (await bench.run(definition, settling.id)).statusReason;
  await expect.poll(because, { timeout: 30_000 }).toContain("The spec changed less than");
  bench.proxy.inject(readOf(definition), denied);
  expect(await bench.endOf(definition, settling.id)).toMatchObject({ phase: "failed", statusReason: expect.stringContaining(DENIED) });
});

/** A dry run that meets an outage at its eleventh object; resolves once it has told so. */
async function dryRunInOutage({ connection, proxy }: FaultBench, definition: SampleDefinition) {
  const outage = proxy.inject(past(10, requestFor(definition, "GET")), reset);
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  await expect.poll(() => now().message, { timeout: 30_000 }).toContain("can't be reached");
  const end = async () => {
    outage.stop();
    await expect.poll(() => now().phase, { timeout: 60_000 }).toBe("succeeded");
    return now();
  };
  return { end };
}

// Without isEarlyDenial (classify-failure.ts), the objects that probe after the outage "would be rejected".
faultTest("a dry run names no object that an API server that has just started denies", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  const dryRun = await dryRunInOutage(bench, definition);
  const denial = bench.proxy.inject(requestFor(definition, "GET"), denied, 2);
  expect(await dryRun.end()).toMatchObject({ dryRun: { wouldPass: OBJECTS, wouldBeRejected: 0 }, lossesKnown: true });
  expect(denial.hits()).toBe(2);
});

faultTest("an object that is denied for good after an outage is named, and doesn't hold up the others", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  const dryRun = await dryRunInOutage(bench, definition);
  bench.proxy.inject(requestFor(definition, "PATCH", objectName(OBJECTS - 1)), denied);
  const { dryRun: found } = await dryRun.end();
  expect(found).toMatchObject({ wouldPass: OBJECTS - 1, wouldBeRejected: 1, rejections: [{ reason: "Forbidden", count: 1 }] });
});
