import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

const LOOK_AGAIN_MS = 1_000;

/** When a run knew that its own objects are those that it sees; `wasMissing`: an APIService was still to be made. */
interface OwnObjects {
  at: number;
  wasMissing: boolean;
}

/**
 * Ends a run while another server answers requests for the definition: it would rewrite, and prove, that server's objects. Waits as long
 * after a change of an APIService as after one of the spec: each API server heeds it at its own pace.
 * @throws StopRun failed, with the APIService.
 */
export async function requireOwnObjects(progress: Progress): Promise<OwnObjects> {
  const { heldRun, signal, state } = progress;
  const startedAt = performance.now();
  for (;;) {
    const ageMs = await ageOfOwn(progress);
    const now = performance.now();
    const leftMs = heldRun.settleSeconds * 1_000 - Math.max(ageMs, now - startedAt);
    if (leftMs <= 0) return { at: now, wasMissing: ageMs === 0 };
    const statusReason = "An APIService of the definition changed a short while ago: waiting until every API server heeds it.";
    state.run = { ...state.run, statusReason, settlesAt: new Date(Date.now() + leftMs).toISOString() };
    await sleep(Math.min(leftMs, LOOK_AGAIN_MS), signal);
  }
}

/**
 * The same before a proof, without waiting: nobody may have changed an APIService since.
 * @throws StopRun failed, with the APIService, or because one has changed.
 */
export async function requireStillOwn(progress: Progress, { at, wasMissing }: OwnObjects): Promise<void> {
  const sentAt = performance.now();
  const ageMs = await ageOfOwn(progress, { beforeProof: true });
  if (wasMissing || ageMs >= sentAt - at) return;
  throw new StopRun("failed", "An APIService of the definition changed while the rewrite ran, so nothing is proven. Rewrite again.");
}

async function ageOfOwn(
  { heldRun: { connection, crd }, gate, signal, state }: Progress,
  { beforeProof } = { beforeProof: false },
): Promise<number> {
  const answering = await throughGate(gate, signal, () => answeringServer(connection, crd, signal));
  if (answering.kind === "another") throw new StopRun("failed", `Nothing is proven: ${answering.because}`);
  if (answering.kind === "definition") return answering.ageMs;
  if (beforeProof) state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [sentence(answering.because)]) };
  return Number.POSITIVE_INFINITY;
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
