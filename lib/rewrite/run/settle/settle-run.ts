import type { SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { updateHeld } from "#lib/rewrite/record/update-held.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { settle } from "./settle.ts";

/** Takes a run's settle point and records it, and says meanwhile what it waits for. Throws as settle, and as what writes the record. */
export async function settleRun({ heldRun, identity, gate, signal, state }: Progress): Promise<SettlePoint> {
  const { connection, crd } = heldRun;
  const settlePoint = await settle({
    connection,
    crdName: crd.name,
    identity,
    settleSeconds: heldRun.settleSeconds,
    gate,
    signal,
    onWait(because, until) {
      state.run = { ...state.run, statusReason: because, settlesAt: until === null ? null : new Date(until).toISOString() };
    },
  });
  // Written at once, because it stays valid for this run, a resumed run and the next run.
  const write = () => updateHeld(heldRun, identity, (record) => ({ ...record, settlePoint }), signal);
  await throughGate(gate, signal, write);
  return settlePoint;
}
