import { expect, test } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { nextStep } from "#lib/domain/definition/next-step.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

const { connection, define, flip, start, run, endOf, storedAs } = await openTestBench();

const OBJECTS = 12;

// With "rewriting" for every live run (crd-state.ts) the fleet shows a broken webhook as work in progress.
test("a definition stays blocked while a run waits for its broken webhook, and says when it is tried again", async () => {
  const webhook = await breakableConversion();
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  webhook.break({ kind: "HTTP 500" });
  await flip(definition, afterFlip, webhook.conversion);
  const detail = () => readDetail(connection, definition.name, soon());

  const { id } = await start(definition, { acceptUnseen: true });
  await expect
    .poll(async () => (await detail()).stateReason, { timeout: 30_000 })
    .toMatch(/^Objects can't be converted: .*A rewrite waits for it\.$/);
  expect(await detail()).toMatchObject({ state: "blocked", activeRun: { id } });
  expect(nextStep(await detail())).toEqual({ step: "watch", run: id });
  const retryAt = async () => Date.parse((await run(definition, id)).retryAt ?? "");
  await expect.poll(retryAt, { timeout: 30_000, interval: 50 }).toBeGreaterThan(Date.now());

  await webhook.heal();
  await expect.poll(async () => (await detail()).state, { timeout: 60_000, interval: 50 }).not.toBe("blocked");
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS }, retryAt: null });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  // The last count may be from before.
  await expect.poll(async () => (await detail()).state, { timeout: 30_000 }).toBe("prunable");
});
