import type { KubeConfig } from "@kubernetes/client-node";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { readSetting } from "#lib/settings/env.ts";
import { oldestBeyond } from "./oldest-beyond.ts";
import { type SignIn, signInTo } from "./sign-in-to.ts";

/** Files are read again sooner: one is often empty for a moment. */
const FOR_MS = { command: 10_000, files: 1_000 };
const MOST_KNOWN = 100;

/** By connection, until when a sign-in that failed isn't tried again, by performance.now(), and what everyone is told. */
function failures(): Map<string, { until: number; told: AppError }> {
  return processWide("failed-sign-ins", () => new Map());
}

/**
 * signInTo; but where whoever can reach crdshift reads with its account, one that failed isn't tried again for ten seconds if each
 * try runs a command, or for one second otherwise, and only the log tells what the command says: that has accounts and paths. `key` is the
 * connection's: a kubeconfig that was repaired has another.
 */
export async function signInShared(key: string, name: string, config: KubeConfig): Promise<SignIn> {
  if (readSetting("CRDSHIFT_MODE") !== "unsafe-shared-readonly") return signInTo(name, config);
  const known = failures().get(key);
  if (known && performance.now() < known.until) throw known.told;
  return signInTo(name, config).catch((error: unknown) => {
    throw isAppError(error) ? noteFailed(key, error, FOR_MS[config.getCurrentUser()?.exec ? "command" : "files"]) : error;
  });
}

function noteFailed(key: string, error: AppError, forMs: number): AppError {
  logProblem("warn", { message: "crdshift couldn't sign in to a cluster.", detail: errorWords(error) });
  const told = new AppError(error.code, error.message, { nextStep: "See crdshift's log for the reason." });
  const all = failures();
  all.delete(key);
  all.set(key, { until: performance.now() + forMs, told });
  for (const oldest of oldestBeyond(all, MOST_KNOWN)) all.delete(oldest);
  return told;
}
