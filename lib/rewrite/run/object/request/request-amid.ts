import type { Listed } from "./is-namesake.ts";
import { meaningOf } from "./meaning-of.ts";
import type { ObjectAnswer } from "./object-answer.ts";
import type { Sending } from "./send-aside.ts";

/**
 * Sends a request amid another one about the object, which has its turn. What may be temporary is thrown, for that one to retry.
 * @throws StopRun, GateHeld, the request's errors, and the signal's reason.
 */
export async function requestAmid<Value>(
  context: Sending,
  object: Listed,
  request: () => Promise<Value>,
  { effect }: { effect: "reads" | "tries" },
): Promise<ObjectAnswer<Value>> {
  const sentAt = performance.now();
  try {
    const value = await request();
    if (effect === "tries") context.gate.tried(sentAt);
    return { kind: "answered", value };
  } catch (error) {
    context.signal.throwIfAborted();
    const failure = await meaningOf(context, object, error);
    if (failure.kind === "gone" || failure.kind === "rejected") return failure;
    throw error;
  }
}
