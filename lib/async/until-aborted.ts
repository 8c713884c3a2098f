import { whenAborted } from "./when-aborted.ts";

/** Settles like the promise, or throws the signal's reason as soon as it aborts. Does not stop the promise's work. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => {});
    throw signal.reason;
  }
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stopWaiting = whenAborted(signal, reject);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stopWaiting();
  }
}
