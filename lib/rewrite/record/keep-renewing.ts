import { sleep } from "#lib/async/sleep.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import { RENEW_EVERY_MS, TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import type { HeldRun } from "./held-run.ts";
import { lastingDenial } from "./lasting-denial.ts";
import { updateHeld } from "./update-held.ts";
import { writtenRun } from "./update-record.ts";

/** A renewal must end well before another process may take over. */
const RENEWAL_TIMEOUT_MS = 20_000;
const RETRY_RENEWAL_MS = 3_000;

/**
 * Renews the run in the annotation every 15 s. While that fails, or after this process has slept, the gate is held, because another
 * crdshift may take over; it opens once the record is renewed and still belongs to this process. The deadline counts from the written
 * time, as it does for others, because the answer may arrive much later.
 * @throws StopRun if another crdshift took over, the run's token has ended, or the definition has changed.
 */
export async function keepRenewing(
  heldRun: HeldRun,
  identity: CrdIdentity,
  gate: Gate,
  renewed: (record: RewriteRecord) => RewriteRecord,
  signal: AbortSignal,
): Promise<void> {
  let renewedAt = Date.parse(heldRun.run.renewedAt);
  const mayGoOn = () => gate.record.release(renewedAt + TAKE_OVER_AFTER_MS - RENEWAL_TIMEOUT_MS);
  mayGoOn();
  const denial = lastingDenial("The rewrite's record can't be renewed any more");
  for (let waitMs: number | null = null; ; ) {
    try {
      await sleep(waitMs ?? untilRenewal(renewedAt), signal);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_TIMEOUT_MS)]);
      const written = await updateHeld(heldRun, identity, renewed, deadline);
      renewedAt = Date.parse(writtenRun(written).renewedAt);
      waitMs = null;
      denial.succeeded();
      mayGoOn();
    } catch (error) {
      if (signal.aborted) return;
      if (isStopRun(error)) throw error;
      const failure = classifyFailure(error, null);
      if (failure.kind === "interrupt") throw new StopRun("interrupted", failure.message);
      denial.failed(error);
      waitMs = retryMs(error);
      // It asks that of everyone, so nothing else is sent either.
      const askedMs = clusterAnswer(error)?.retryAfterMs ?? null;
      if (failure.kind === "wait" && askedMs !== null) gate.close(failure.message, askedMs);
      if (Date.now() - renewedAt + RENEWAL_TIMEOUT_MS > TAKE_OVER_AFTER_MS)
        gate.record.hold(`The rewrite's record can't be renewed: ${errorWords(error)}`);
    }
  }
}

/** How long to wait until the record is written again: never less than the server asked for. */
export function retryMs(error: unknown): number {
  return Math.max(RETRY_RENEWAL_MS, clusterAnswer(error)?.retryAfterMs ?? 0);
}

// The usual interval at most, even if the clock was set back.
function untilRenewal(renewedAt: number): number {
  return Math.min(RENEW_EVERY_MS, Math.max(0, renewedAt + RENEW_EVERY_MS - Date.now()));
}
