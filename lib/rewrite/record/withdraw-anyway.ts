import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { asksToSignIn } from "#lib/contract/app-error.ts";
import { withDoubt } from "#lib/domain/record/doubt.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { proofFault } from "#lib/domain/record/valid-evidence.ts";
import { isDeleted } from "./is-deleted.ts";
import { retryMs } from "./keep-renewing.ts";
import { updateRecord } from "./update-record.ts";
import { withoutWithdrawn } from "./without-withdrawn.ts";

const WITHIN_MS = 10 * 60_000;
const ONE_WRITE_MS = 10_000;

/**
 * Writes the record without the evidence that this process has withdrawn, and with a doubt, whoever holds the run by now: nobody else knows
 * what was found, and another crdshift would prune on it. A proof of the present spec that was verified after all that stays as it is, by
 * whoever made it: who doesn't trust its signature doesn't rely on it either. Retries for ten minutes.
 * Never throws: until it is written, this process remembers. Resolves to whether it needs to no longer.
 */
export async function withdrawAnyway(connection: Connection, { name, uid }: { name: string; uid: string }): Promise<boolean> {
  const giveUpAt = Date.now() + WITHIN_MS;
  while (Date.now() < giveUpAt) {
    try {
      await updateRecord(
        connection,
        name,
        (now, record) => {
          const left = withoutWithdrawn(connection, record);
          // What this process remembers are these findings, and a proof that is left covers them.
          const isCovered = left.proof !== null && proofFault({ ...now, rememberedDoubt: null }, left.proof) === null;
          const isWritten = left === record && (readableRecord(now)?.doubt ?? null) !== null;
          // A new record, since the doubt may be in this process's memory alone.
          return now.uid !== uid || isCovered || isWritten ? record : { ...withDoubt(left, now) };
        },
        AbortSignal.timeout(ONE_WRITE_MS),
      );
      return true;
    } catch (error) {
      if (isDeleted(error)) return true;
      if (asksToSignIn(error)) return false;
      await sleep(retryMs(error), AbortSignal.timeout(WITHIN_MS));
    }
  }
  return false;
}
