import { expect, onTestFinished, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";

/** Longer than a fleet waits between two looks. */
const LOOK_MS = 1_500;

// Without touch (start-fleet.ts) a newcomer takes the place of a reader to whom nothing has happened for a minute.
test("whoever reads events or has a run uses the connection all the time, and nobody else", async () => {
  let touched = 0;
  const silent = await connectionTo("silent", () => {});
  const touch = () => {
    touched += 1;
  };
  const fleet = fleetOf({ ...silent, touch });
  onTestFinished(() => fleet.stop());
  const touches = async () => {
    touched = 0;
    await sleep(LOOK_MS, AbortSignal.timeout(30_000));
    return touched;
  };
  expect(await touches()).toBe(0);
  const unsubscribe = fleet.subscribe(() => {});
  expect(await touches()).toBeGreaterThan(0);
  unsubscribe();
  expect(await touches()).toBe(0);
  fleet.noteRun("widgets.example.com", sampleRun());
  expect(await touches()).toBeGreaterThan(0);
  fleet.noteRun("widgets.example.com", null);
  expect(await touches()).toBe(0);
});
