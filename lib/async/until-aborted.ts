import { whenAborted } from "./when-aborted.ts";

/** The promise's outcome, or the signal's reason as soon as it is aborted, whatever the promise goes on to do. */
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
