import { sleep } from "#lib/async/sleep.ts";
import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";

const READ_WITHIN_MS = 10_000;
const RETRY_MS = 1_000;

/**
 * Whether a write that was sent at this time, in ms since the epoch, and got no answer wasn't stored: the object is as it was before it, and
 * still is once `endsAfterMs` have passed, in which the API server ends every write. False if that can't be told, as of an object that is
 * gone, or if the signal, which is not the pass's, aborts before. Never throws.
 */
export async function wasNeverStored(
  { connection, crd, version, runId }: Pick<Pass, "connection" | "crd" | "version" | "runId">,
  object: ObjectMetadata,
  { sentAt, endsAfterMs, signal }: { sentAt: number; endsAfterMs: number; signal: AbortSignal },
): Promise<boolean> {
  const hasMoved = async (within: AbortSignal) =>
    resourceVersionOf(await readObjectMetadata(connection, crd, version, object, { signal: within, runId })) !== object.resourceVersion;
  for (;;) {
    const leftMs = Math.min(endsAfterMs, sentAt + endsAfterMs - Date.now());
    if (await untilRead(hasMoved, signal)) return false;
    if (leftMs <= 0) return true;
    await sleep(leftMs, signal).catch(() => {});
    if (signal.aborted) return false;
  }
}

/** Its answer; true after ten seconds without one, or once the signal aborts. */
async function untilRead(read: (within: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(READ_WITHIN_MS)]);
  while (!within.aborted) {
    try {
      return await read(within);
    } catch {
      // A computer that wakes up has no network yet.
      await sleep(RETRY_MS, within).catch(() => {});
    }
  }
  return true;
}
