import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteUndone } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type RewriteRecord, readableRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { idleControl } from "#lib/rewrite/testing/record/idle-control.ts";
import { finishRun } from "./finish-run.ts";

/** The definition as the API server has it, and as this process saw it last; what happens once a write is stored; and the ends told. */
const cluster = vi.hoisted(() => ({
  now: null as Crd | null,
  seen: null as Crd | null,
  onStored: () => {},
  ends: [] as string[],
}));

vi.mock("#lib/cluster/definitions/crds.ts", () => ({
  readCrd: async () => ({ crd: cluster.now, serverTime: null }),
  writeRecord: async (_: Connection, crd: Crd, record: RewriteRecord) => {
    cluster.now = { ...crd, record };
    cluster.onStored();
    return cluster.now;
  },
}));
vi.mock("#lib/cluster/fleet/fleet-of.ts", () => ({
  fleetOf: () => ({ lastSeen: () => cluster.seen, lastKnown: () => cluster.seen, beginRead: () => () => {}, noteRun() {} }),
  otherFleetsOfOwner: () => [],
}));
vi.mock("#lib/cluster/fleet/is-restored-since.ts", () => ({ isRestoredSince: async () => false }));
vi.mock("./record-action.ts", () => ({ recordEnd: (_: Connection, { id, phase }: Run) => void cluster.ends.push(`${id} ${phase}`) }));
vi.mock("./keep-renewing.ts", () => ({ retryMs: () => 0 }));

const connection = { server: "https://finishing:6443" } as Partial<Connection> as Connection;
const run = sampleRun({ id: "run-1", phase: "verifying" });
const EXPOSED = "Up to 3 objects may have lost fields.";
const LEFT = "The managedFields of 3 objects still name a version that is gone.";

interface Finish {
  seenAt: string;
  nowAt: string;
  settlePoint?: Partial<SettlePoint> | null;
  dryRunHeld?: boolean;
  generation?: number;
  phase?: "succeeded" | "interrupted";
}

/** Records the proof of a run that saw the definition at `seenAt`, in a cluster that has it at `nowAt`. */
async function finish({ seenAt, nowAt, settlePoint = {}, dryRunHeld = true, generation, phase = "succeeded" }: Finish) {
  const begun = sampleCrd({ resourceVersion: seenAt });
  const recorded = settlePoint && sampleSettlePoint(begun, settlePoint);
  const record = sampleRecord({
    holder: holderName(),
    runs: [run],
    settlePoint: recorded,
    doubt: { rejected: 0 },
    dryRun: sampleDryRunRecord(begun),
  });
  const crd = { ...begun, record };
  Object.assign(cluster, { seen: crd, now: { ...crd, resourceVersion: nowAt, ...(generation !== undefined && { generation }) } });
  const control = idleControl(run);
  const proof = sampleProof(crd, { runId: run.id });
  const identity = crdIdentity(crd) ?? expect.fail("no storage version");
  const ended = { ...run, phase, endedAt: "2026-01-02T12:10:00.000Z", caveats: [EXPOSED], statusReason: EXPOSED };
  const outcome = { run: ended, entries: [LEFT], proof: phase === "succeeded" ? proof : null, unconfirmed: 0, unanswered: [], dryRunHeld };
  const options = { stop: new AbortController().signal, onDelay() {} };
  return finishRun({ connection, crd, run, settleSeconds: 65, control, lastRestore: null }, identity, outcome, options);
}

test("a proof is recorded in a definition that has changed since the run saw it", async () => {
  await finish({ seenAt: "1000", nowAt: "1001" });
  expect(cluster.now?.record).toMatchObject({ holder: null, proof: { runId: run.id } });
});

// With only the newest run looked at, it ends as if another crdshift had taken it over, and no Event tells its end.
test("an end that was stored without an answer is told although another run has begun since", async () => {
  cluster.ends = [];
  cluster.onStored = () => {
    cluster.onStored = () => {};
    const record = readableRecord(cluster.now ?? sampleCrd());
    if (cluster.now && record)
      cluster.now = { ...cluster.now, record: { ...record, holder: "b", runs: [{ ...run, id: "run-2" }, ...record.runs] } };
    throw new AppError("cluster_unreachable", "The connection was reset.");
  };
  await finish({ seenAt: "1000", nowAt: "1001" });
  expect(cluster.ends).toEqual([`${run.id} succeeded`]);
  expect(cluster.now?.record).toMatchObject({ holder: "b", proof: { runId: run.id } });
});

// Without restsOn (finish-run.ts) such a run proves objects that it took for current, because they are above that settle point.
test.each([
  ["that another crdshift withdrew", null],
  ["in place of which there is another", { resourceVersion: "950" }],
  ["of an earlier spec", { generation: 1 }],
])("none is recorded that rests on a settle point %s, and the doubt stays", async (_, settlePoint) => {
  await finish({ seenAt: "1000", nowAt: "1001", settlePoint });
  const withdrawn = { phase: "failed", provenObjects: null, statusReason: expect.stringContaining("Its settle point was withdrawn") };
  expect(cluster.now?.record).toMatchObject({ holder: null, proof: null, runs: [withdrawn], doubt: { rejected: 0 } });
});

// The spec may be as it was, so that the dry run is valid: the next run would rely on it without a check.
test.each([
  ["rests on a settle point that is withdrawn", { settlePoint: null }],
  ["is of an earlier spec", { generation: 9 }],
])("a run whose proof %s tells its warnings, and drops a dry run that it found wrong", async (_, change) => {
  await finish({ seenAt: "1000", nowAt: "1001", dryRunHeld: false, ...change });
  expect(cluster.now?.record).toMatchObject({ proof: null, dryRun: null });
  const [ended] = readableRecord(cluster.now ?? sampleCrd())?.runs ?? [];
  expect(ended && runVerdict(ended)?.because).toMatch(`${EXPOSED} ${LEFT}`);
  await finish({ seenAt: "1000", nowAt: "1001", ...change });
  expect(cluster.now?.record).toMatchObject({ proof: null, dryRun: { id: expect.any(String) } });
});

// Otherwise the run that goes on tells it again, of entries that it has taken back.
test("only a run that can't be resumed keeps what it left in managedFields among its warnings", async () => {
  const caveats = () => readableRecord(cluster.now ?? sampleCrd())?.runs[0]?.caveats;
  await finish({ seenAt: "1000", nowAt: "1001", phase: "interrupted" });
  expect(caveats()).toEqual([EXPOSED]);
  await finish({ seenAt: "1000", nowAt: "1001" });
  expect(caveats()).toEqual([EXPOSED, LEFT]);
});

// With only the cluster's resourceVersion compared (isRestoredSince), a restore that bumps it goes unnoticed, and its old objects count as proven.
test("none is recorded in a definition that is older than the run saw it: etcd was restored meanwhile", async () => {
  await expect(finish({ seenAt: "1000", nowAt: "970" })).rejects.toMatchObject({
    ...{ phase: "lost", message: expect.stringContaining("etcd was restored") },
  });
  expect(cluster.now?.record).toMatchObject({ proof: null });
});

// Last, because a process never forgets a restore. Without restoredSince (finish-run.ts) it is recorded if the fleet has listed the restored
// definition between the run's last look at the watch and its end.
test("none is recorded once a restore was noticed, also if the definition is no older than it was last seen", async () => {
  noteUndone(connection, { to: "970", from: "1400" });
  await expect(finish({ seenAt: "970", nowAt: "970" })).rejects.toMatchObject({ phase: "lost" });
  expect(cluster.now?.record).toMatchObject({ proof: null });
});
