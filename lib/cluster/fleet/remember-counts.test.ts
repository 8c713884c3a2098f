import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changedByOwnRuns, noteOwnRun } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { changedSince } from "#lib/domain/definition/broken-applies.ts";
import { sampleCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { fleetOf } from "./fleet-of.ts";
import { rememberedManagedFields } from "./known-crds.ts";
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
test("a count during which a cleaning ended isn't kept, and the next one is", () => {
  const remember = beginManagedFieldsCount(connection, crd);
  noteCleaning(connection, crd);
  remember(found);
  expect(rememberedManagedFields(connection).get(crd.uid)).toBeUndefined();
  beginManagedFieldsCount(connection, crd)(found);
  expect(rememberedManagedFields(connection).get(crd.uid)?.versions).toEqual(found);
});
