import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/** Longer than a role takes to be applied again, or an API server to know its roles. */
const LASTS_FOR_MS = 2 * 60_000;

/** Ends a run whose user is no longer allowed what it must do again and again: it would wait for ever, and nobody else is told why. */
export interface LastingDenial {
  /** Throws StopRun "interrupted" if this and all failures for two minutes were denials (403). */
  failed(error: unknown): void;
  succeeded(): void;
}

/** `what` it is that the user may not do, as "crdshift can't read the definition". */
export function lastingDenial(what: string): LastingDenial {
  let since: number | null = null;
  return {
    failed(error) {
      if (clusterAnswer(error)?.status !== 403) {
        since = null;
        return;
      }
      since ??= performance.now();
      if (performance.now() - since < LASTS_FOR_MS) return;
      throw new StopRun("interrupted", `${what}: ${errorWords(error)} Get the permission back, then resume the rewrite.`, { cause: error });
    },
    succeeded() {
      since = null;
    },
  };
}
