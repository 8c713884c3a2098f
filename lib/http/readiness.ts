import { isFresh } from "#lib/async/is-fresh.ts";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { askDefaultCluster } from "#lib/sign-in/sign-in.ts";

/** Anyone may ask, as often as they like; probes ask every few seconds. */
const SHARED_MS = 1_000;
const ASK_WITHIN_MS = 30_000;

interface Readiness {
  at: number;
  /** Null while the cluster answers, otherwise why it doesn't. */
  failure: Promise<string | null>;
  /** The failure that the log has last told of. */
  logged: string | null;
}

/**
 * Asks the default cluster, at most once a second for everyone together. The log says why it doesn't answer, once for each reason.
 * @throws AppError cluster_unreachable if it doesn't answer, without a reason: the caller isn't signed in.
 */
export async function requireReady(): Promise<void> {
  const known = processWide<Readiness>("readiness", () => ({ at: Number.NEGATIVE_INFINITY, failure: Promise.resolve(null), logged: null }));
  if (!isFresh(known.at, SHARED_MS)) Object.assign(known, { at: Date.now(), failure: ask() });
  const failure = await known.failure;
  if (failure !== known.logged && failure !== null)
    logProblem("warn", { message: "The default cluster does not answer.", detail: failure });
  known.logged = failure;
  if (failure === null) return;
  throw new AppError("cluster_unreachable", "The default cluster does not answer.", { nextStep: "See crdshift's log for the reason." });
}

async function ask(): Promise<string | null> {
  try {
    await askDefaultCluster(AbortSignal.timeout(ASK_WITHIN_MS));
    return null;
  } catch (error) {
    return isAppError(error) ? errorWords(error) : errorDetail(error);
  }
}
