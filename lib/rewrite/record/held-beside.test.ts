import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { sampleCrd, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { idleControl } from "#lib/rewrite/testing/record/idle-control.ts";
import { type HeldRun, withRun } from "./held-run.ts";
import { updateHeld } from "./update-held.ts";

/** The definition as the API server has it, and what its answers to reads wait for. */
const cluster = vi.hoisted(() => ({ now: null as Crd | null, slow: null as Promise<void> | null }));

vi.mock("#lib/cluster/definitions/crds.ts", () => ({
  readCrd: async () => {
    const [crd, slow] = [cluster.now, cluster.slow];
    cluster.slow = null;
    await slow;
    return { crd, serverTime: null };
  },
  writeRecord: async (_: Connection, crd: Crd, record: RewriteRecord) => {
    if (crd !== cluster.now) throw Object.assign(new Error("409"), { name: "AppError", code: "conflict" });
    cluster.now = { ...crd, record };
    return cluster.now;
  },
}));
vi.mock("#lib/contract/app-error.ts", async (original) => ({ ...(await original<object>()), isAppError: () => true }));
vi.mock("#lib/cluster/fleet/fleet-of.ts", () => ({
  fleetOf: () => ({ lastSeen: () => cluster.now, lastKnown: () => cluster.now, beginRead: () => () => {}, noteRun() {} }),
  otherFleetsOfOwner: () => [],
}));

// With the renewal that is known when the answer comes, it passes for an older record, and the run ends as lost.
test("a record that is read while the run is renewed, and arrives after that, is this process's own", async () => {
  const run = sampleRun({ id: "run-1", renewedAt: "2026-01-02T12:00:00.000Z" });
  const crd = { ...sampleCrd(), record: sampleRecord({ holder: holderName(), runs: [run] }) };
  cluster.now = crd;
  const control = idleControl(run);
  const connection = { server: "https://held:6443" } as Partial<Connection> as Connection;
  const heldRun: HeldRun = { connection, crd, run, settleSeconds: 65, control, lastRestore: null };
  const identity = crdIdentity(crd) ?? expect.fail("no storage version");
  const soon = AbortSignal.timeout(10_000);

  const { promise, resolve } = Promise.withResolvers<void>();
  cluster.slow = promise;
  const noting = updateHeld(heldRun, identity, (record) => ({ ...record, dryRun: null, settlePoint: null, doubt: { rejected: 1 } }), soon);
  const renewed = { ...run, renewedAt: "2026-01-02T12:00:15.000Z" };
  await updateHeld(heldRun, identity, (record) => withRun(record, renewed), soon);
  resolve();
  expect((await noting).record).toMatchObject({ runs: [renewed], doubt: { rejected: 1 } });
});
