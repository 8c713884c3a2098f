import type { KubeConfig } from "@kubernetes/client-node";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readSetting } from "#lib/settings/env.ts";
import { oldestBeyond } from "./oldest-beyond.ts";
import { type SignIn, signInTo } from "./sign-in-to.ts";

const FOR_MS = 10_000;
const MOST_KNOWN = 100;

/** By context, when its last sign-in failed, by performance.now(), and what everyone is told. */
function failures(): Map<string, { at: number; told: AppError }> {
  return processWide("failed-sign-ins", () => new Map());
}

/**
 * signInTo; but where whoever can reach crdshift reads with its account, one that failed isn't tried again for ten seconds, since each try runs
 * its command, and only the log tells what the command says: that has accounts and paths.
 */
export async function signInShared(name: string, config: KubeConfig): Promise<SignIn> {
  if (readSetting("CRDSHIFT_MODE") !== "unsafe-shared-readonly") return signInTo(name, config);
  const known = failures().get(name);
  if (known && performance.now() - known.at < FOR_MS) throw known.told;
  return signInTo(name, config).catch((error: unknown) => {
    throw isAppError(error) ? noteFailed(name, error) : error;
  });
}

function noteFailed(name: string, error: AppError): AppError {
  logProblem("warn", { message: "crdshift couldn't sign in to a cluster.", detail: errorWords(error) });
  const told = new AppError(error.code, error.message, { nextStep: "See crdshift's log for the reason." });
  const all = failures();
  all.delete(name);
  all.set(name, { at: performance.now(), told });
  for (const oldest of oldestBeyond(all, MOST_KNOWN)) all.delete(oldest);
  return told;
}
