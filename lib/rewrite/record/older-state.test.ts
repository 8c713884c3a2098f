import { beforeEach, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { deletedState, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { readToWrite } from "#lib/rewrite/guards/older-state.ts";
import { readForChange } from "#lib/rewrite/spec-change/read-for-change.ts";
import { updateRecord } from "./update-record.ts";

/** What the API server answers, what was written, and what is known before, and by the time of the answer. */
const cluster = vi.hoisted(() => ({
  now: null as Crd | null,
  written: [] as Crd[],
  known: null as StateOfDefinition | null,
  knownAfter: null as StateOfDefinition | null,
}));
const read = vi.hoisted(() => async () => {
  cluster.known = cluster.knownAfter;
  return { crd: cluster.now, exact: null, serverTime: null };
});

vi.mock("#lib/cluster/definitions/crds.ts", () => ({
  readCrd: read,
  readExactCrd: read,
  writeRecord: async (_: Connection, crd: Crd, record: RewriteRecord) => {
    cluster.written.push(crd);
    return { ...crd, record };
  },
}));
vi.mock("#lib/cluster/migrations/list-migrations.ts", () => ({ readMigrationsOf: async () => ({}) }));
vi.mock("#lib/cluster/fleet/fleet-of.ts", () => ({
  fleetOf: () => ({ lastKnown: () => cluster.known, beginRead: () => () => {}, listAgain() {} }),
}));

const connection = { server: "https://older:6443" } as Partial<Connection> as Connection;
const soon = () => new AbortController().signal;
const update = () => updateRecord(connection, "widgets", (_, record) => ({ ...record, holder: null }), soon());
const reads = () => [() => readToWrite(connection, "widgets", soon()), () => readForChange(connection, "widgets", undefined, soon())];
const restored = { code: "precondition_failed", message: expect.stringContaining("etcd was restored from a backup") };

beforeEach(() => void Object.assign(cluster, { written: [] }));

// Without refuseOlder (update-record.ts, older-state.ts, read-for-change.ts) the write makes the definition the newest, and nothing shows
// the restore.
test.each([
  ["a later state was known", sampleCrd({ resourceVersion: "1400" }), sampleCrd({ resourceVersion: "940" })],
  ["it had a later generation", sampleCrd({ generation: 5 }), sampleCrd({ generation: 4, resourceVersion: "1000000900" })],
  ["it was known to be deleted", deletedState(sampleCrd(), "1400"), sampleCrd({ resourceVersion: "1000000900" })],
])("nothing is written to a definition of a restored etcd, because %s", async (_, known, now) => {
  Object.assign(cluster, { now, known, knownAfter: known });
  await expect(update()).rejects.toMatchObject(restored);
  for (const attempt of reads()) await expect(attempt()).rejects.toMatchObject(restored);
  expect(cluster.written).toEqual([]);
});

test.each([
  ["that changes while it is read", sampleCrd({ resourceVersion: "1300" }), sampleCrd({ resourceVersion: "1300" })],
  ["that was created in place of a deleted one", sampleCrd({ uid: "another", resourceVersion: "1500" }), deletedState(sampleCrd(), "1400")],
])("a definition %s is written to", async (_, now, known) => {
  const knownAfter = sampleCrd({ uid: now.uid, resourceVersion: "1600" });
  Object.assign(cluster, { now, known, knownAfter });
  await update();
  expect(cluster.written).toEqual([now]);
  for (const attempt of reads()) {
    cluster.known = known;
    await attempt();
  }
});
