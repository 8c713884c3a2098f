import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

const LOOK_AGAIN_MS = 1_000;
/** Both times of an age are cut to whole seconds, and two API servers' clocks differ a little. */
const ROUNDED_MS = 2_000;
export const CHANGED_LATELY = "An APIService of the definition changed a short while ago: waiting until every API server heeds it.";

/** When a run knew that its own objects are those that it sees; `wasMissing`: an APIService was still to be made. */
interface OwnObjects {
  at: number;
  wasMissing: boolean;
}

/**
 * Ends a run while another server answers requests for the definition: it would rewrite, and prove, that server's objects. `settled`: it
 * won't settle any more, so waits here as long after a change of an APIService as after one of the spec.
 * @throws StopRun failed, with the APIService.
 */
export async function requireOwnObjects(progress: Progress, { settled }: { settled: boolean }): Promise<OwnObjects> {
  const { heldRun, signal, state } = progress;
  const startedAt = performance.now();
  for (;;) {
    const ageMs = await ageOfOwn(progress);
    const now = performance.now();
    const leftMs = settled ? unheededMs(ageMs, { startedAt, settleSeconds: heldRun.settleSeconds }) : 0;
    if (leftMs <= 0) return { at: now, wasMissing: ageMs === null };
    state.run = { ...state.run, statusReason: CHANGED_LATELY, settlesAt: new Date(Date.now() + leftMs).toISOString() };
    await sleep(Math.min(leftMs, LOOK_AGAIN_MS), signal);
  }
}

/**
 * How long some API server may still not heed the last change of an APIService: each does at its own pace. For one that is missing, counts
 * from `startedAt` (performance.now()): nobody knows whether it will be made.
 */
export function unheededMs(ageMs: number | null, { startedAt, settleSeconds }: { startedAt: number; settleSeconds: number }): number {
  return Math.max(0, settleSeconds * 1_000 - (ageMs ?? performance.now() - startedAt));
}

/**
 * The same before a proof, without waiting: nobody may have changed an APIService since.
 * @throws StopRun failed, with the APIService, or because one has changed.
 */
export async function requireStillOwn(progress: Progress, { at, wasMissing }: OwnObjects): Promise<void> {
  const sentAt = performance.now();
  const ageMs = await ageOfOwn(progress, { beforeProof: true });
  if (wasMissing || ageMs === null || ageMs + ROUNDED_MS >= sentAt - at) return;
  throw new StopRun("failed", "An APIService of the definition changed while the rewrite ran, so nothing is proven. Rewrite again.");
}

async function ageOfOwn({ heldRun, gate, signal, state }: Progress, { beforeProof } = { beforeProof: false }): Promise<number | null> {
  const { ageMs, unknownBecause } = await ageOfApiServices(heldRun.connection, heldRun.crd, gate, signal);
  if (beforeProof && unknownBecause !== null) {
    state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [sentence(unknownBecause)]) };
  }
  return ageMs;
}

/**
 * How long ago an APIService of the definition last changed, null if one is missing; if nobody can tell, why.
 * @throws StopRun failed while another server answers.
 */
export async function ageOfApiServices(
  connection: Connection,
  crd: Crd,
  gate: Gate,
  signal: AbortSignal,
): Promise<{ ageMs: number | null; unknownBecause: string | null }> {
  const answering = await throughGate(gate, signal, () => answeringServer(connection, crd, signal));
  switch (answering.kind) {
    case "another":
      throw new StopRun("failed", `Nothing is proven: ${answering.because}`);
    case "unknown":
      return { ageMs: Number.POSITIVE_INFINITY, unknownBecause: answering.because };
    case "definition":
      return { ageMs: answering.ageMs, unknownBecause: null };
    default:
      return answering satisfies never;
  }
}

/**
 * Refuses to rely on what is seen of the objects, or to write them, while another server answers requests for the definition.
 * @throws AppError precondition_failed, with the APIService.
 */
export async function refuseOthersObjects(connection: Connection, crd: Crd, signal: AbortSignal): Promise<void> {
  const answering = await answeringServer(connection, crd, signal);
  if (answering.kind !== "another") return;
  throw new AppError("precondition_failed", sentence(answering.because), { nextStep: "" });
}

function sentence(because: string): string {
  return because.charAt(0).toUpperCase() + because.slice(1);
}
