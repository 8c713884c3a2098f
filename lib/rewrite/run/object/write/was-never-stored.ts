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
 * gone. Never throws. It doesn't use the pass's signal, which has aborted.
 */
export async function wasNeverStored(
  { connection, crd, version, runId }: Pick<Pass, "connection" | "crd" | "version" | "runId">,
  object: ObjectMetadata,
  { sentAt, endsAfterMs }: { sentAt: number; endsAfterMs: number },
): Promise<boolean> {
  const hasMoved = async (signal: AbortSignal) =>
    resourceVersionOf(await readObjectMetadata(connection, crd, version, object, { signal, runId })) !== object.resourceVersion;
  for (;;) {
    const leftMs = Math.min(endsAfterMs, sentAt + endsAfterMs - Date.now());
    if (await untilRead(hasMoved)) return false;
    if (leftMs <= 0) return true;
    await sleep(leftMs, AbortSignal.timeout(2 * endsAfterMs));
  }
}

/** Its answer; true after ten seconds without one. */
async function untilRead(read: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
  const within = AbortSignal.timeout(READ_WITHIN_MS);
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
