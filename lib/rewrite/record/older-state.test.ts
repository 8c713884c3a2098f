import { beforeEach, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { deletedState, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { patchUnchangedSpec } from "#lib/rewrite/spec-change/patch-unchanged-spec.ts";
import { updateRecord } from "./update-record.ts";

/** What the API server answers to each read, the last one again and again; what was written; and what was known before. */
const cluster = vi.hoisted(() => ({ reads: [] as Crd[], written: [] as Crd[], known: null as StateOfDefinition | null }));

vi.mock("#lib/cluster/definitions/crds.ts", () => ({
  readCrd: async () => ({ crd: cluster.reads.length > 1 ? cluster.reads.shift() : cluster.reads[0], serverTime: null }),
  writeRecord: async (_: Connection, crd: Crd, record: RewriteRecord) => {
    cluster.written.push(crd);
    return { ...crd, record };
  },
  patchSpec: async () => expect.fail("written"),
}));
vi.mock("#lib/cluster/fleet/fleet.ts", () => ({ fleetOf: () => ({ lastKnown: () => cluster.known, noteCrd() {} }) }));

const connection = { server: "https://older:6443" } as Partial<Connection> as Connection;
const update = () => updateRecord(connection, "widgets", (_, record) => ({ ...record, holder: null }), new AbortController().signal);
const patch = (crd: Crd) =>
  patchUnchangedSpec(
    connection,
    crd,
    { steps: [], action: { kind: "changed", at: "2026-01-02T12:00:00.000Z", run: null, message: "" } },
    new AbortController().signal,
  );
const restored = { code: "precondition_failed", message: expect.stringContaining("etcd was restored from a backup") };

beforeEach(() => void Object.assign(cluster, { reads: [], written: [], known: null }));

// Without isOlderState (update-record.ts, patch-unchanged-spec.ts) the write makes the definition the newest, and nothing shows the restore.
test.each([
  ["a later state was known", sampleCrd({ resourceVersion: "1400" }), sampleCrd({ resourceVersion: "940" })],
  ["it had a later generation", sampleCrd({ generation: 5 }), sampleCrd({ generation: 4, resourceVersion: "1000000900" })],
  ["it was known to be deleted", deletedState(sampleCrd(), "1400"), sampleCrd({ resourceVersion: "1000000900" })],
])("nothing is written to a definition of a restored etcd, because %s", async (_, known, now) => {
  Object.assign(cluster, { reads: [now], known });
  await expect(update()).rejects.toMatchObject(restored);
  await expect(patch(now)).rejects.toMatchObject(restored);
  expect(cluster.written).toEqual([]);
});

test("what has changed since it was read is read again, and what was created in place of a deleted one is written to", async () => {
  const [old, changed] = [sampleCrd({ resourceVersion: "1300" }), sampleCrd({ resourceVersion: "1400" })];
  Object.assign(cluster, { reads: [old, changed], known: changed });
  await update();
  expect(cluster.written).toEqual([changed]);
  await expect(patch(old)).rejects.toMatchObject({ message: expect.stringContaining("changed at the last moment") });
  const anew = sampleCrd({ uid: "another", resourceVersion: "1500" });
  Object.assign(cluster, { reads: [anew], written: [], known: deletedState(old, "1400") });
  await update();
  expect(cluster.written).toEqual([anew]);
});
