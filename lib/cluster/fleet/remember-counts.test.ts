import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changedByOwnRuns, noteOwnRun } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { changedSince } from "#lib/domain/definition/broken-applies.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";
import { knownCrds, rememberedManagedFields } from "./known-crds.ts";
import { beginManagedFieldsCount, forgetCleaned, noteCleaning } from "./remember-counts.ts";

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
test("a count during which a cleaning ended isn't kept, and the next one is", () => {
  const remember = beginManagedFieldsCount(connection, crd);
  noteCleaning(connection, crd);
  remember(found);
  expect(rememberedManagedFields(connection).get(crd.uid)).toBeUndefined();
  beginManagedFieldsCount(connection, crd)(found);
  expect(rememberedManagedFields(connection).get(crd.uid)?.versions).toEqual(found);
});

// Without cleaningsBefore (managedFieldsCountOf in known-crds.ts) a definition stays blocked for others who had counted before, each over
// a connection of their own.
test("a cleaning makes everyone else's count unknown, and takes what it cleaned out of its own", () => {
  const other: Connection = { ...connection };
  const counted = (over: Connection) => knownCrds(over).current(crd).managedFieldsCount;
  for (const over of [connection, other]) beginManagedFieldsCount(over, crd)(new Map([...found, ["v1alpha2", 2]]));
  expect(counted(other)?.versions.size).toBe(2);
  noteCleaning(connection, crd);
  forgetCleaned(connection, crd, ["v1alpha1"]);
  expect(counted(other)).toBeNull();
  expect(counted(connection)?.versions).toEqual(new Map([["v1alpha2", 2]]));
});

// With every count taken along (noteCleaning), what another cleaning has cleaned comes back with the next one.
test("a count that another cleaning has made unknown stays so through one's own", () => {
  const other: Connection = { ...connection };
  beginManagedFieldsCount(connection, crd)(found);
  noteCleaning(other, crd);
  noteCleaning(connection, crd);
  forgetCleaned(connection, crd, ["v1alpha2"]);
  expect(knownCrds(connection).current(crd).managedFieldsCount).toBeNull();
});
