import { errorWords, isAppError } from "#lib/contract/app-error.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";

/** Why a run ends, from any thrown value. Network and credential errors interrupt it, so it can be resumed. */
export function stopOf(reason: unknown): StopRun {
  if (isStopRun(reason)) return reason;
  const isTemporary = isAppError(reason) && ["cluster_unreachable", "cluster_timeout", "unauthenticated"].includes(reason.code);
  return new StopRun(isTemporary ? "interrupted" : "failed", errorWords(reason));
}

/** How a run ends whose definition is gone. */
export const DELETED = "The definition was deleted.";

/** Whether a run ended because its definition is gone, with all that it wrote. */
export function isGone({ message }: StopRun): boolean {
  return message === DELETED || message === recreated().message;
}

/** How a run ends that can't know what it has written. */
export const RESTORED = "etcd was restored from a backup during the rewrite, so nothing is proven. Start a new rewrite.";

/** Why a run stops if the definition that it was started on is gone, and another has its name. */
export function recreated(): StopRun {
  return new StopRun("lost", "The definition was deleted and created again.");
}
