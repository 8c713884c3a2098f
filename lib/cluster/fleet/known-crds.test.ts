import { expect, onTestFinished, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { disprovedAt } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { rememberedCounts } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { sampleCrd, sampleEtcdCount, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { knownCrds, liveRuns } from "./known-crds.ts";

/** What is known of a cluster of the test's own. */
function knownOf(name: string) {
  const connection = { server: `https://${name}:6443` } as Partial<Connection> as Connection;
  const known = knownCrds(connection);
  onTestFinished(() => known.forget());
  return { connection, known };
}

const listed = sampleCrd();
const shrunk = (resourceVersion: string) => sampleCrd({ storedVersions: ["v1"], resourceVersion });

// Without the server in the key (perDefinition) each cluster erases what was found in the other.
test("what was found in a cluster is not said of its clone, which has the same uids, and not forgotten with it", () => {
  const { connection, known } = knownOf("here");
  const { known: clone } = knownOf("clone");
  known.upsert(listed);
  rememberedCounts.set(connection, listed.uid, sampleEtcdCount({ v1beta1: [3, "100"] }));
  const found = { shrankWithoutProof: ["v1beta1"], etcdCount: expect.objectContaining({ total: 3 }) };
  expect(known.upsert(shrunk("1001"))?.now).toMatchObject(found);
  expect(clone.upsert(shrunk("1001"))?.now).toMatchObject({ shrankWithoutProof: [], etcdCount: null });
  clone.upsert(sampleCrd({ resourceVersion: "1002" }));
  clone.remove(listed.name, "1003");
  expect(known.upsert(shrunk("1003"))?.now).toMatchObject(found);
  known.forget();
  expect(knownCrds(connection).upsert(shrunk("1004"))?.now).toMatchObject({ shrankWithoutProof: [], etcdCount: null });
});

// With only the definitions as last seen (liveRuns) the fleet asks the cluster for ever.
test("a run is live only as long as its definition is there", () => {
  const { known } = knownOf("here");
  const ended: string[] = [];
  const anyLiveRun = liveRuns(known, ({ name }) => ended.push(name));
  known.upsert(sampleCrd({ record: sampleRecord({ runs: [sampleRun({ renewedAt: new Date().toISOString() })] }) }));
  expect(anyLiveRun()).toBe(true);
  known.remove(listed.name, "1001");
  expect([anyLiveRun(), ended]).toEqual([false, []]);
});

// With only those of the same uid compared (upsert, remove) the run on the new definition ends because the old one was deleted.
test("what the watch has yet to tell of a deleted definition doesn't touch the one that was created in its place", () => {
  const { known } = knownOf("here");
  const created = sampleCrd({ uid: "created-again", resourceVersion: "2000" });
  known.upsert(listed);
  known.upsert(created);
  expect(known.upsert(sampleCrd({ resourceVersion: "1500" }))).toBeNull();
  expect(known.remove(listed.name, "1800")).toBe(false);
  expect(known.seen.get(listed.name)).toMatchObject({ uid: "created-again" });
  expect(known.remove(listed.name, "2001")).toBe(true);
  known.upsert(sampleCrd({ uid: "created-once-more", resourceVersion: "2002" }));
  expect(known.remove(listed.name, null)).toBe(true);
});

// Without forgetLater (per-definition.ts) the deletion, which is what the restore undoes, takes with it what disproves the definition's list.
test("what was found about a definition holds if a restore of etcd undoes its deletion, and is forgotten after a thousand more", () => {
  const { known } = knownOf("undeleted");
  known.upsert(listed);
  known.upsert(shrunk("1001"));
  known.remove(listed.name, "1002");
  known.restored({ to: "0", from: "1002" }, [listed]);
  expect(known.upsert(shrunk("1001"))?.now).toMatchObject({ shrankWithoutProof: ["v1beta1"] });
  known.remove(listed.name, "1003");
  for (let number = 0; number < 1_000; number += 1) {
    const other = sampleCrd({ name: `other-${number}`, uid: `other-${number}` });
    known.upsert(other);
    known.remove(other.name, "1004");
  }
  expect(known.upsert(shrunk("1005"))?.now).toMatchObject({ shrankWithoutProof: [] });
});

// Without the states of deleted ones (known-states.ts), a deleted definition is shown until the next list.
test("an answer that comes after a definition's deletion doesn't bring it back", () => {
  const { known } = knownOf("deleted");
  known.upsert(listed);
  known.remove(listed.name, "1500");
  expect(known.upsert(sampleCrd({ resourceVersion: "1400" }))).toBeNull();
  expect(known.seen.size).toBe(0);
  expect(known.upsert(sampleCrd({ uid: "created-again", resourceVersion: "1600" }))).not.toBeNull();
  known.remove(listed.name, "1700");
  known.restored({ to: "1000", from: "1700" }, []);
  expect(known.upsert(sampleCrd({ resourceVersion: "1000" }))).not.toBeNull();
});

// Twenty thousand were compared field by field, in one turn of the event loop.
test("a definition's migrations have changed if their list is another one", () => {
  const { known } = knownOf("migrated");
  known.upsert(listed);
  const migration: Migration = {
    ...{ engine: "in-tree", name: "m", uid: "u", resource: listed.name, phase: "running", message: "" },
    ...{ createdAt: "2026-01-02T12:00:00Z", since: null, runId: null },
  };
  const changedBy = (list: Migration[]) => known.noteMigrations(new Map([[listed.name, list]]), true).map(({ name }) => name);
  const list = [migration];
  expect(changedBy(list)).toEqual([listed.name]);
  expect(changedBy(list)).toEqual([]);
  expect(changedBy([migration])).toEqual([listed.name]);
});

// Without noteShownDisproof, a run of this process takes a settle point at once, while what stored the object may still be at work.
test("what another process has found above its settle point begins the wait anew here, once", () => {
  const { connection, known } = knownOf("here");
  const record = (changes: Parameters<typeof sampleRecord>[0]) => sampleRecord({ runs: [sampleRun({ phase: "cancelled" })], ...changes });
  const settlePoint = { ...sampleProof(listed), resourceVersion: "900", takenAt: "2026-01-02T12:00:00.000Z" };
  known.upsert(sampleCrd({ record: record({ doubt: { rejected: 1 }, settlePoint }) }));
  expect(disprovedAt(connection, listed.uid)).toBeNull();
  known.upsert(sampleCrd({ resourceVersion: "1001", record: record({ doubt: { rejected: 1 }, settlePoint: null }) }));
  const foundAt = disprovedAt(connection, listed.uid);
  expect(foundAt).not.toBeNull();
  known.upsert(sampleCrd({ resourceVersion: "1002", record: record({ doubt: { rejected: 1 }, settlePoint: null }) }));
  expect(disprovedAt(connection, listed.uid)).toBe(foundAt);
});

// With the look of each fleet for itself, whoever opens the page during the wait begins it anew for everyone.
test("a fleet that begins later, or lags behind, doesn't begin that wait again", () => {
  const { connection, known } = knownOf("first");
  const doubted = (resourceVersion: string) =>
    sampleCrd({
      resourceVersion,
      record: sampleRecord({ runs: [sampleRun({ phase: "settling" })], doubt: { rejected: 0 }, settlePoint: null }),
    });
  known.upsert(doubted("1001"));
  const foundAt = disprovedAt(connection, listed.uid);
  const later = knownCrds(connection);
  later.upsert(sampleCrd({ resourceVersion: "1000" }));
  later.upsert(doubted("1001"));
  expect([foundAt === null, disprovedAt(connection, listed.uid)]).toEqual([false, foundAt]);
});

// With a note of whether any was shown, the disproof of a later run, which is seen only after the one before, begins no wait. With the newest
// run's, each run that begins after a disproved one waits anew.
test("the disproof of another settle point begins that wait again, and a run that begins doesn't", () => {
  const { connection, known } = knownOf("again");
  const doubted = (resourceVersion: string, settleResourceVersion: string) => {
    const runs = [sampleRun({ phase: "cancelled", settleResourceVersion })];
    return sampleCrd({ resourceVersion, record: sampleRecord({ runs, doubt: { rejected: 0 }, settlePoint: null }) });
  };
  known.upsert(doubted("1001", "900"));
  const foundAt = disprovedAt(connection, listed.uid) ?? Number.NaN;
  known.upsert(doubted("1005", "900"));
  const next = sampleRun({ id: "next", phase: "settling", settleResourceVersion: null });
  const runs = [next, sampleRun({ phase: "cancelled", settleResourceVersion: "900" })];
  known.upsert(sampleCrd({ resourceVersion: "1007", record: sampleRecord({ runs, doubt: { rejected: 0 }, settlePoint: null }) }));
  expect(disprovedAt(connection, listed.uid)).toBe(foundAt);
  known.upsert(doubted("1010", "950"));
  expect(disprovedAt(connection, listed.uid)).toBeGreaterThan(foundAt);
});
