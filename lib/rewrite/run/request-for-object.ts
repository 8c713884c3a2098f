import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { clusterAnswer, isConversionFailure, isConversionRefusal } from "#lib/cluster/transport/errors.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type Gate, GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Lease, Pacer } from "#lib/rewrite/pacing/pacer.ts";
import { classifyFailure } from "./classify-failure.ts";
import { StopRun } from "./stop-run.ts";

/** How a request about one object ended, after all retries. */
export type ObjectAnswer<Value> = { kind: "answered"; value: Value } | { kind: "gone" } | ObjectRejection;

/** The server's refusal of this object. */
export interface ObjectRejection {
  kind: "rejected";
  reason: string;
  message: string;
}

const MAX_ATTEMPTS = 5;
/** After this many 429s, an object stops probing with its own request. */
const MAX_SLOWED_DOWN = 2;
const BACKOFF = { firstMs: 100, maxMs: 3_000 };
/** After this long without any success, all requests wait and the page says why. An attempt may take half a minute to fail. */
const TELL_AFTER_MS = 5_000;
/** After this long, a webhook's refusal counts even if no other object is left whose success could confirm it. */
const BELIEVE_AFTER_MS = 10_000;

/**
 * Sends a request about one object when the pacer and the gate allow it, and retries passing failures. A passing failure counts as the
 * object's own only after requests sent since its first failure succeeded for others; a failed conversion, after others were converted.
 * @throws StopRun if the run can't continue, and the signal's reason.
 */
export async function requestForObject<Value>(
  context: Listing & { pacer: Pacer },
  object: ObjectName,
  request: () => Promise<Value>,
  mayHaveConverted: (value: Value) => boolean = () => true,
): Promise<ObjectAnswer<Value>> {
  const { gate, signal } = context;
  let firstFailureAt: number | null = null;
  let firstSentAt: number | null = null;
  let slowedDown = 0;
  for (let attempts = 0; ; ) {
    const { leave, probes, giveBack } = await enterInTurn(context);
    if (probes && slowedDown >= MAX_SLOWED_DOWN) {
      await probeByList(context).finally(() => leave("failed"));
      continue;
    }
    const sentAt = performance.now();
    firstSentAt ??= sentAt;
    try {
      const value = await request();
      leave("answered");
      gate.succeeded(sentAt, mayHaveConverted(value));
      return { kind: "answered", value };
    } catch (error) {
      leave(isOverload(error) ? "overloaded" : "failed");
      signal.throwIfAborted();
      if (error instanceof GateHeld) {
        giveBack();
        continue;
      }
      const failure = classifyFailure(error, object);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message, { cause: error });
      if (failure.kind === "stop") throw new StopRun("failed", failure.message, { cause: error });
      if (failure.kind === "gone" || failure.kind === "rejected") {
        gate.succeeded(sentAt, false);
        return failure;
      }
      const { kind, reason, message, afterMs } = failure;
      firstFailureAt ??= performance.now();
      if (kind === "retry" || (reason !== null && gate.lastSuccessAt() > sentAt)) attempts += 1;
      const answer = clusterAnswer(error);
      if (answer?.status === 429) slowedDown += 1;
      const othersSucceeded = (answer && isConversionFailure(answer) ? gate.lastConversionAt() : gate.lastSuccessAt()) > firstFailureAt;
      const answered = answer && isConversionRefusal(answer) && performance.now() - firstFailureAt > BELIEVE_AFTER_MS;
      if (reason !== null && attempts >= MAX_ATTEMPTS && (othersSucceeded || answered)) {
        // Others succeeded since its first failure, or the webhook itself refused: the problem is this object.
        gate.open();
        return { kind: "rejected", reason, message };
      }
      const silent = performance.now() - Math.max(firstSentAt, gate.lastSuccessAt()) > TELL_AFTER_MS;
      if (kind === "wait" || attempts >= MAX_ATTEMPTS || silent || gate.cause() !== null) gate.close(message, afterMs);
      else await sleep(Math.max(afterMs ?? 0, jitteredBackoffMs(attempts, BACKOFF)), signal);
    }
  }
}

function isOverload(error: unknown): boolean {
  const status = clusterAnswer(error)?.status;
  return status === 429 || status === 503 || status === 504;
}

interface Listing {
  connection: Connection;
  crd: Crd;
  gate: Gate;
  signal: AbortSignal;
  runId?: string;
}

/** Probes with a list of one object whether the API server accepts requests again, and updates the gate. Throws the signal's reason. */
async function probeByList({ connection, crd, gate, signal, runId }: Listing): Promise<void> {
  try {
    await listObjects(connection, crd, { version: storageVersion(crd)?.name ?? "", limit: 1, signal, ...(runId && { runId }) });
    gate.open();
  } catch (error) {
    signal.throwIfAborted();
    const failure = classifyFailure(error, null);
    const answer = clusterAnswer(error);
    // Any other error is an answer too; the objects' own requests find out what it means for them.
    if (failure.kind === "wait" && !(answer && isConversionFailure(answer))) gate.close(failure.message, failure.afterMs);
    else gate.open();
  }
}

/** A slot for one request, with permission to send it now. */
interface Turn {
  leave: Lease;
  /** This request probes a closed gate. */
  probes: boolean;
  /** Nothing was sent; the next request probes. */
  giveBack(): void;
}

/** Resolves when the pacer and the gate let a request through. Throws StopRun if the run can't continue, and the signal's reason. */
export async function enterInTurn({ gate, pacer, signal }: { gate: Gate; pacer: Pacer; signal: AbortSignal }): Promise<Turn> {
  for (;;) {
    const admission = await gate.enter(signal);
    const leave = await pacer.enter(signal).catch((error: unknown) => {
      admission.giveBack();
      throw error;
    });
    // Check the gate again: it may have closed, even for a probe, while this request waited for the pacer.
    const as = admission.use();
    if (as !== null) return { leave, probes: as === "probe", giveBack: admission.giveBack };
    leave("failed");
  }
}
