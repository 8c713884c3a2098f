import { AppError, errorWords } from "#lib/contract/app-error.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { oldestBeyond } from "./oldest-beyond.ts";

const FOR_MS = 10_000;
const MOST_KNOWN = 100;

/** By a connection's key, when its last sign-in failed, by performance.now(), and what everyone is told. */
function failures(): Map<string, { at: number; told: AppError }> {
  return processWide("failed-sign-ins", () => new Map());
}

/** What to answer where anyone may ask and a sign-in has failed in the last ten seconds: each further one would run its command again. */
export function failedLately(key: string): AppError | null {
  const known = failures().get(key);
  return known && performance.now() - known.at < FOR_MS ? known.told : null;
}

/** Notes that a sign-in has failed, and returns what anyone may be told. The log has the rest: a command writes accounts and paths there. */
export function noteFailed(key: string, error: AppError): AppError {
  logProblem("warn", { message: "crdshift couldn't sign in to a cluster.", detail: errorWords(error) });
  const told = new AppError(error.code, error.message, { nextStep: "See crdshift's log for the reason." });
  const all = failures();
  all.delete(key);
  all.set(key, { at: performance.now(), told });
  for (const oldest of oldestBeyond(all, MOST_KNOWN)) all.delete(oldest);
  return told;
}
