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

// Without pushedOutForMs (start-fleet.ts) each token that a person uses in turn keeps all definitions for five seconds more.
test("the fleet of a connection that was pushed out ends within a second or two, or a few seconds later if somebody reads it", async () => {
  const [unread, read] = [await connectionTo("pushed out", () => {}), await connectionTo("pushed out, read", () => {})];
  const fleets = [unread, read].map((connection) => fleetOf({ ...connection, isPushedOut: () => true }));
  for (const fleet of fleets) onTestFinished(() => fleet.stop());
  fleets[1]?.subscribe(() => {});
  await sleep(2 * LOOK_MS, AbortSignal.timeout(30_000));
  expect(fleets.map((fleet) => fleet.hasEnded())).toEqual([true, false]);
  await expect.poll(() => fleets[1]?.hasEnded(), { timeout: 10_000 }).toBe(true);
});
