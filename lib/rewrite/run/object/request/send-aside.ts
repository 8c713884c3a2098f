import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { classifyFailure } from "./classify-failure.ts";

/** What requests about the objects of a definition need. */
export interface Sending {
  connection: Connection;
  crd: Crd;
  gate: Gate;
  pacer: Pacer;
  signal: AbortSignal;
  runId?: string;
  /** Counts sent patches. */
  onPatch?: OnPatch;
}

/**
 * Sends a request that is to tell an outage from one object's failure. It doesn't take turns at probing, because those may last as long as
 * an outage. It does wait for a pause, the rate limit, and the time that the server asked for.
 * @throws GateHeld while the gate is held, the request's errors, and the signal's reason.
 */
export async function sendAside<Answer>(
  { gate, pacer, signal }: Pick<Sending, "gate" | "pacer" | "signal">,
  about: ObjectName | null,
  request: () => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    await gate.whenReleased(signal);
    const askedMs = gate.askedToWaitMs();
    if (askedMs > 0) await sleep(askedMs, signal);
    const leave = await pacer.enter(signal);
    try {
      // It may have waited for a slot for long, as during a pause.
      await gate.whenReleased(signal);
      if (gate.askedToWaitMs() === 0) return await request();
    } catch (error) {
      noteAskedWait(gate, error, about);
      throw error;
    } finally {
      leave("failed");
    }
  }
}

/** Lets all requests wait for the time that the server asked for. */
function noteAskedWait(gate: Gate, error: unknown, about: ObjectName | null): void {
  const answer = clusterAnswer(error);
  if (answer === null || isConversionFailure(answer)) return;
  const failure = classifyFailure(error, about);
  if (failure.kind === "wait" && failure.afterMs !== null) gate.close(failure.message, failure.afterMs);
}
