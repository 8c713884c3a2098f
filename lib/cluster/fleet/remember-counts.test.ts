import { randomUUID } from "node:crypto";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changedByOwnRuns, noteOwnRun } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { changedSince } from "#lib/domain/definition/broken-applies.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";
import { knownCrds, rememberedManagedFields } from "./known-crds.ts";
import { beginManagedFieldsCount, noteCleaning } from "./remember-counts.ts";

const crd = sampleCrd();
const found = new Map([["v1alpha1", 5]]);
let connection: Connection;

beforeEach(async () => {
  connection = await connectionTo(`counts-${randomUUID()}`, (_, response) => void response.writeHead(404).end("{}"));
  return () => fleetOf(connection).stop();
});

// With what runs had changed at its end (beginManagedFieldsCount in remember-counts.ts), those that it saw before a run did stay broken.
test("a count takes what a run has changed during it as changed since", () => {
  const remember = beginManagedFieldsCount(connection, crd);
  noteOwnRun(connection, crd.uid, sampleRun({ id: "during", ownership: { keep: true, kept: 5, lost: 0 } }));
  remember(found);
  const count = rememberedManagedFields(connection).get(crd.uid);
  expect(count?.versions).toEqual(found);
  expect(count && changedSince(count, changedByOwnRuns(connection, crd.uid))).toBe(5);
});

// Without noteCleaning (remember-counts.ts) a definition stays blocked for objects that were cleaned after they were counted.
test("a count during which a cleaning ended that left entries isn't kept, and the next one is", () => {
  const remember = beginManagedFieldsCount(connection, crd);
  noteCleaning(connection, crd, null);
  remember(found);
  expect(rememberedManagedFields(connection).get(crd.uid)).toBeUndefined();
  beginManagedFieldsCount(connection, crd)(found);
  expect(rememberedManagedFields(connection).get(crd.uid)?.versions).toEqual(found);
});

const two = new Map([...found, ["v1alpha2", 2]]);
const counted = (over: Connection) => knownCrds(over).current(crd).managedFieldsCount?.versions;

// Without countAfterCleanings (managedFieldsCountOf in known-crds.ts) a definition stays blocked for others who had counted before, each
// over a connection of their own; where it drops a count in place of what was cleaned, others stop seeing that it is blocked for v1alpha2.
test("a cleaning takes what it cleaned out of everyone's counts, also of one under way, and leaves the rest", () => {
  const other: Connection = { ...connection };
  for (const over of [connection, other]) beginManagedFieldsCount(over, crd)(two);
  const third: Connection = { ...connection };
  const remember = beginManagedFieldsCount(third, crd);
  noteCleaning(connection, crd, ["v1alpha1"]);
  remember(two);
  for (const over of [connection, other, third]) expect(counted(over)).toEqual(new Map([["v1alpha2", 2]]));
  beginManagedFieldsCount(other, crd)(two);
  expect(counted(other)).toEqual(two);
});

// Without incomplete (ended-cleanings.ts), what another cleaning has cleaned comes back with the next one.
test("a count that another cleaning has made unknown stays so through one's own", () => {
  const other: Connection = { ...connection };
  beginManagedFieldsCount(connection, crd)(found);
  noteCleaning(other, crd, null);
  noteCleaning(connection, crd, ["v1alpha2"]);
  expect(counted(connection)).toBeUndefined();
});

// Without MOST_VERSIONS (ended-cleanings.ts) whoever cleans fills the memory with names; forgotten, what was cleaned must not come back.
test("of many cleaned versions the oldest make counts before them unknown", () => {
  beginManagedFieldsCount(connection, crd)(two);
  noteCleaning(connection, crd, ["v1alpha1"]);
  expect(counted(connection)).toEqual(new Map([["v1alpha2", 2]]));
  const names = Array.from({ length: 100 }, (_, index) => `v${index}`);
  noteCleaning(connection, crd, names);
  expect(counted(connection)).toBeUndefined();
});

// Without fleetsOfCluster (noteCleaning) the pages of others still say that server-side apply fails.
test("everyone who follows the cluster is told of a cleaning", async () => {
  const other: Connection = { ...connection };
  const fleets = [connection, other].map(fleetOf);
  onTestFinished(() => fleets[1]?.stop());
  const told = fleets.map((fleet) => {
    fleet.beginRead()(crd);
    const now = vi.fn();
    onTestFinished(fleet.subscribe(now));
    return now;
  });
  for (const over of [connection, other]) beginManagedFieldsCount(over, crd)(found);
  const wereTold = () => told.map(({ mock }) => mock.calls.some(([{ event }]) => event === "crd"));
  await expect.poll(wereTold).toEqual([true, true]);
  for (const now of told) now.mockClear();
  noteCleaning(connection, crd, ["v1alpha1"]);
  await expect.poll(wereTold).toEqual([true, true]);
});
