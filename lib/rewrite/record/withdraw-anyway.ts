import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isOurs } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { asksToSignIn, isAppError } from "#lib/contract/app-error.ts";
import { retryMs } from "./hold-run.ts";
import { updateRecord } from "./update-record.ts";
import { withDoubtForWithdrawn, withoutWithdrawn } from "./without-withdrawn.ts";

const WITHIN_MS = 10 * 60_000;
const ONE_WRITE_MS = 10_000;

/**
 * Writes the record without the evidence that this process has withdrawn, and with a doubt, whoever holds the run by now: nobody else knows
 * what was found, and another crdshift would prune on it. A proof that was verified after all that stays as it is. Retries for ten minutes.
 * Never throws: until it is written, this process remembers.
 */
export async function withdrawAnyway(connection: Connection, { name, uid }: { name: string; uid: string }): Promise<void> {
  const giveUpAt = Date.now() + WITHIN_MS;
  while (Date.now() < giveUpAt) {
    try {
      await updateRecord(
        connection,
        name,
        (now, record) => {
          const { proof } = withoutWithdrawn(connection, record);
          const isCovered = proof !== null && isOurs(connection, proof);
          // A new record, since the doubt may be in this process's memory alone.
          return now.uid !== uid || isCovered ? record : { ...withDoubtForWithdrawn(connection, record, now) };
        },
        AbortSignal.timeout(ONE_WRITE_MS),
      );
      return;
    } catch (error) {
      // A 404 that doesn't come from the API server says nothing about the definition.
      const isGone = isAppError(error) && error.code === "not_found" && clusterAnswer(error) === null;
      if (isGone || asksToSignIn(error)) return;
      await sleep(retryMs(error), AbortSignal.timeout(WITHIN_MS));
    }
  }
}
