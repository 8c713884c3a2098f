import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { type ApiServices, answeringServer } from "#lib/cluster/definitions/answering-server.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

const LOOK_AGAIN_MS = 1_000;
export const CHANGED_LATELY = "An APIService of the definition changed a short while ago: waiting until every API server heeds it.";

/**
 * Ends a run while another server answers requests for the definition: it would rewrite, and prove, that server's objects. `settled`: it
 * won't settle any more, so waits here as long after a change of an APIService as after one of the spec.
 * @throws StopRun failed, with the APIService.
 */
export async function requireOwnObjects(progress: Progress, { settled }: { settled: boolean }): Promise<ApiServices> {
  const { heldRun, gate, signal, state } = progress;
  const startedAt = performance.now();
  for (;;) {
    const { apiServices } = await ownApiServices(heldRun.connection, heldRun.crd, gate, signal);
    const leftMs = settled ? unheededMs(apiServices, { startedAt, settleSeconds: heldRun.settleSeconds }) : 0;
    if (leftMs <= 0) return apiServices;
    state.run = { ...state.run, statusReason: CHANGED_LATELY, settlesAt: new Date(Date.now() + leftMs).toISOString() };
    await sleep(Math.min(leftMs, LOOK_AGAIN_MS), signal);
  }
}

/**
 * How long some API server may still not heed the last change of an APIService: each does at its own pace. For one that is missing, counts
 * from `startedAt` (performance.now()): nobody knows whether it will be made.
 */
export function unheededMs(apiServices: ApiServices, { startedAt, settleSeconds }: { startedAt: number; settleSeconds: number }): number {
  if (apiServices === "unread") return 0;
  const ageMs = apiServices === "missing" ? performance.now() - startedAt : apiServices.ageMs;
  return Math.max(0, settleSeconds * 1_000 - ageMs);
}

/**
 * The same before a proof, without waiting: nobody may have changed an APIService since it was `seen`. Notes in the run if nobody can tell.
 * @throws StopRun failed, with the APIService, or because one has changed.
 */
export async function requireStillOwn({ heldRun, gate, signal, state }: Progress, seen: ApiServices): Promise<void> {
  const { apiServices: now, unknownBecause } = await ownApiServices(heldRun.connection, heldRun.crd, gate, signal);
  if (unknownBecause !== null) state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [sentence(unknownBecause)]) };
  if (!haveChanged(seen, now)) return;
  throw new StopRun("failed", "An APIService of the definition changed while the rewrite ran, so nothing is proven. Rewrite again.");
}

/** Whether another server may have answered between two looks. Nobody can tell without the right to look. */
export function haveChanged(seen: ApiServices, now: ApiServices): boolean {
  if (seen === "unread" || now === "unread") return false;
  return typeof seen === "object" && typeof now === "object" ? seen.state !== now.state : seen !== now;
}

/**
 * What is known of the definition's APIServices; if nobody can tell who answers, why.
 * @throws StopRun failed while another server answers.
 */
export async function ownApiServices(
  connection: Connection,
  crd: Crd,
  gate: Gate,
  signal: AbortSignal,
): Promise<{ apiServices: ApiServices; unknownBecause: string | null }> {
  const answering = await throughGate(gate, signal, () => answeringServer(connection, crd, signal));
  switch (answering.kind) {
    case "another":
      throw new StopRun("failed", `Nothing is proven: ${answering.because}`);
    case "unknown":
      return { apiServices: answering.apiServices, unknownBecause: answering.because };
    case "definition":
      return { apiServices: answering.apiServices, unknownBecause: null };
    default:
      return answering satisfies never;
  }
}

/**
 * Refuses to rely on what is seen of the objects, or to write them, while another server answers requests for the definition. Returns what
 * is known of its APIServices.
 * @throws AppError precondition_failed, with the APIService.
 */
export async function refuseOthersObjects(connection: Connection, crd: Crd, signal: AbortSignal): Promise<ApiServices> {
  const answering = await answeringServer(connection, crd, signal);
  if (answering.kind !== "another") return answering.apiServices;
  throw new AppError("precondition_failed", sentence(answering.because), { nextStep: "" });
}

function sentence(because: string): string {
  return because.charAt(0).toUpperCase() + because.slice(1);
}
