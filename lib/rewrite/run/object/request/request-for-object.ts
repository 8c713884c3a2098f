import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { whyUnaddressable } from "#lib/cluster/objects/why-unaddressable.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type Gate, GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { classifyFailure } from "./classify-failure.ts";
import { enterInTurn, type Turn } from "./enter-in-turn.ts";
import type { Listed } from "./is-namesake.ts";
import type { Look } from "./look-after.ts";
import { meaningOf } from "./meaning-of.ts";
import type { ObjectAnswer } from "./object-answer.ts";
import {
  backOff,
  isConversion,
  isOwnFault,
  MAX_ATTEMPTS,
  noFailures,
  noteFailure,
  type ObjectFailures,
  othersSoFar,
  type RetryableFailure,
  whatFailsOf,
  worksForAnother,
} from "./object-failures.ts";
import type { Sending } from "./send-aside.ts";

/** What a request does at best: it only reads, or it tries a write by a dry run; or it stores one, as `stored` tells from the answer. */
export type Effect<Value> = "reads" | "tries" | { stored(answer: Value): boolean };

/** After this many 429s, an object stops probing with its own request. */
const MAX_SLOWED_DOWN = 2;

const UNADDRESSABLE =
  "No request can read or change it. Delete its key in etcd, then restart the API servers, whose caches may hide others of the same name. " +
  "If the scope has changed, you can also create the definition again with the old scope and delete the object there.";

/** How to send a request about an object. */
interface How<Value> {
  effect: Effect<Value>;
  /** Comes first in each of its turns. A refusal ends it: nothing is sent. */
  look?: Look | undefined;
  maxAttempts?: number;
  /** An earlier request was about the same object, so the rate doesn't count it again. */
  goesOn?: boolean;
}

/**
 * Sends a request about one object when the pacer and the gate allow it, and retries failures that may be temporary. They count as the
 * object's own only after `maxAttempts` of them, between which the same succeeded for other objects: dry runs never reach etcd, so where
 * only storing fails, they say nothing. An object that no request can name is rejected.
 * @throws StopRun if the run can't continue, and the signal's reason.
 */
export async function requestForObject<Value>(
  context: Sending,
  object: Listed,
  request: () => Promise<Value>,
  { effect, look, maxAttempts = MAX_ATTEMPTS, goesOn = false }: How<Value>,
): Promise<ObjectAnswer<Value>> {
  const { crd, gate } = context;
  const fault = whyUnaddressable(crd, object);
  if (fault) return { kind: "rejected", reason: "Unaddressable", message: `${fault} ${UNADDRESSABLE}` };
  const failing = failingThrough(gate);
  const failures = noFailures(maxAttempts);
  let firstSentAt: number | null = null;
  try {
    for (;;) {
      const turn = await enterInTurn(context, { goesOn });
      if (turn.probes && failures.slowedDown >= MAX_SLOWED_DOWN) {
        await probeByList(context).finally(() => turn.leave("failed"));
        continue;
      }
      const sentAt = performance.now();
      firstSentAt ??= sentAt;
      const others = othersSoFar(gate);
      const sent = await send(context, object, turn, { look, request });
      if (sent.kind === "held") continue;
      if (sent.kind !== "retryable") {
        noteEnd(gate, effect, sent, { sentAt, failures });
        return sent;
      }
      failing.add(object);
      if (typeof effect === "object" && sent.of === "request")
        failures.writing = await whatFailsOf(context, object, sent, { sentAt, others, failures });
      const since = noteFailure(failures, sent, { sentAt, others }, gate);
      if (isOwnFault(failures, sent, since)) {
        gate.progressed();
        return { kind: "rejected", reason: sent.reason, message: sent.message, mayBeTemporary: true };
      }
      if (await worksForAnother(context, object, failures, { failure: sent, since, failing })) continue;
      await backOff(context, failures, sent, firstSentAt);
    }
  } finally {
    failing.delete(object);
  }
}

function noteEnd<Value>(
  gate: Gate,
  effect: Effect<Value>,
  sent: ObjectAnswer<Value>,
  { sentAt, failures }: { sentAt: number; failures: ObjectFailures },
): void {
  const isStoring = failures.writing === "storing";
  if (isStoring && sent.kind !== "answered") gate.storingUntold();
  // A policy may reject this one while a webhook fails for all others.
  else if (sent.kind !== "answered" || effect === "reads") gate.progressed();
  // The next try finds a write stored whose answer was lost.
  else if (effect !== "tries" && (isStoring || effect.stored(sent.value))) gate.succeeded(sentAt);
  else gate.tried(sentAt);
}

/** `held`: the gate was held before everything was sent. `of`: what failed. */
type Sent<Value> = ObjectAnswer<Value> | (RetryableFailure & { of: "look" | "request" }) | { kind: "held" };

/** Sends the request in its turn. Throws StopRun for a failure that ends the run, and the signal's reason. */
async function send<Value>(
  context: Sending,
  object: Listed,
  turn: Turn,
  { look, request }: Pick<How<Value>, "look"> & { request: () => Promise<Value> },
): Promise<Sent<Value>> {
  let of: "look" | "request" = "look";
  try {
    const refusal = look ? await look() : null;
    if (refusal) {
      turn.leave("answered");
      return refusal;
    }
    if (look) {
      await context.gate.whenReleased(context.signal);
      // What has been seen may no longer be so when the pause is over.
      if (context.pacer.paused() !== "no") throw new GateHeld("The rewrite was paused.");
    }
    of = "request";
    const value = await request();
    turn.leave("answered");
    return { kind: "answered", value };
  } catch (error) {
    turn.leave(isOverload(error) ? "overloaded" : "failed");
    context.signal.throwIfAborted();
    if (isStopRun(error)) throw error;
    const failure = await meaningOf(context, object, error);
    switch (failure.kind) {
      case "held":
        turn.giveBack();
        return failure;
      case "interrupt":
        throw new StopRun("interrupted", failure.message, { cause: error });
      case "stop":
        throw new StopRun("failed", failure.message, { cause: error });
      case "gone":
      case "rejected":
        return failure;
      case "retry":
      case "wait":
        return { ...failure, kind: "retryable", of, isWait: failure.kind === "wait", answer: clusterAnswer(error) };
    }
  }
}

/** The objects whose requests through this gate are failing. */
function failingThrough(gate: Gate): Set<ObjectName> {
  const objects = failingObjects.get(gate) ?? new Set();
  failingObjects.set(gate, objects);
  return objects;
}

const failingObjects = new WeakMap<Gate, Set<ObjectName>>();

function isOverload(error: unknown): boolean {
  const status = clusterAnswer(error)?.status;
  return status === 429 || status === 503 || status === 504;
}

/** Probes with a list of one object whether the API server accepts requests again, and updates the gate. Throws the signal's reason. */
async function probeByList({ connection, crd, gate, signal, runId }: Sending): Promise<void> {
  try {
    await listObjects(connection, crd, { version: storageVersion(crd)?.name ?? "", limit: 1, signal, ...(runId && { runId }) });
    gate.open();
  } catch (error) {
    signal.throwIfAborted();
    const failure = classifyFailure(error, null);
    const answer = clusterAnswer(error);
    // Any other error is an answer too; the objects' own requests find out what it means for them.
    if (failure.kind === "wait" && !isConversion(answer)) gate.close(failure.message, failure.afterMs);
    else gate.open();
  }
}
