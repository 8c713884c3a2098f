import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { mayRewrite } from "#lib/rewrite/testing/bench/may-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { cancelRewrite } from "./cancel-rewrite.ts";
import { changeRewrite } from "./change-rewrite.ts";
import { resumeRewrite } from "./resume-rewrite.ts";

const { cluster, api, stale, storedAs } = await openTestBench();

const OBJECTS = 400;
const CONTEXT = "refused run";

async function opened(): Promise<TestBench> {
  const connection = await connect(CONTEXT);
  onTestFinished(() => fleetOf(connection).stop());
  return benchOn(cluster, api, connection);
}

/** A run whose credentials are refused, and the context with others, which its connection doesn't take: they aren't for the same authority. */
async function refusedRun(): Promise<{ definition: SampleDefinition; id: string; now: TestBench }> {
  const definition = await stale(OBJECTS);
  const user = await restrictedUser(api, mayRewrite(definition));
  await chooseContexts(cluster, { name: CONTEXT, token: user.token });
  const first = await opened();
  const { id } = await first.start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await first.rewritten(definition, id, 1);
  await user.revoke();
  await expect.poll(async () => (await first.run(definition, id)).statusReason ?? "").toContain("sign in again");
  await chooseContexts(cluster, { name: CONTEXT, authority: "any" });
  return { definition, id, now: await opened() };
}

// Without isCancelledNow (cancel-rewrite.ts) it stops, and whoever cancelled it is told to sign in again, though they have. Without showRun
// (held-run.ts) they see no reason.
test("a run whose credentials are refused says so to whoever has others for the context, and is cancelled by them", async () => {
  const { definition, id, now } = await refusedRun();
  await expect.poll(async () => (await now.run(definition, id)).statusReason ?? "").toContain("sign in again");
  expect(await cancelRewrite(now.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled" });
  const record = await readRecord(definition);
  expect([record.holder, record.runs[0]?.phase, record.runs[0]?.statusReason]).toEqual([null, "cancelled", "Cancelled."]);
});

// Without stopSilentRun (resume-rewrite.ts) it is interrupted for everyone, and can't be resumed because it is at work here.
test("a run that was interrupted because its credentials are refused is resumed by whoever has others for the context", async () => {
  const { definition, id, now } = await refusedRun();
  const due = async () => Date.parse((await readRecord(definition)).runs[0]?.renewedAt ?? "") + TAKE_OVER_AFTER_MS < Date.now();
  await expect.poll(due, { timeout: TAKE_OVER_AFTER_MS + 10_000 }).toBe(true);
  await resumeRewrite(now.connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await changeRewrite(now.connection, definition.name, id, { maxPerSecond: null, signal: soon() });
  expect(await now.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});
