import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import { retryMs } from "./hold-run.ts";
import { updateRecord } from "./update-record.ts";
import { withDoubtForWithdrawn } from "./without-withdrawn.ts";

const WITHIN_MS = 10 * 60_000;
const ONE_WRITE_MS = 10_000;

/**
 * Writes the record without the evidence that this process has withdrawn, and with a doubt, whoever holds the run by now: nobody else knows
 * what was found, and another crdshift would prune on it. Retries for ten minutes. Never throws: until it is written, this process remembers.
 */
export async function withdrawAnyway(connection: Connection, { name, uid }: { name: string; uid: string }): Promise<void> {
  const giveUpAt = Date.now() + WITHIN_MS;
  while (Date.now() < giveUpAt) {
    try {
      await updateRecord(
        connection,
        name,
        (now, record) => (now.uid === uid ? withDoubtForWithdrawn(connection, record, now) : record),
        AbortSignal.timeout(ONE_WRITE_MS),
      );
      return;
    } catch (error) {
      if (isAppError(error) && (error.code === "not_found" || error.code === "unauthenticated")) return;
      await sleep(retryMs(error), AbortSignal.timeout(WITHIN_MS));
    }
  }
}
