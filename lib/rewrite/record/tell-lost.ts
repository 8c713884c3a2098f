import type { Run } from "#lib/domain/rewrite/run.ts";
import type { HeldRun } from "./held-run.ts";
import { noteLostRun } from "./lost-runs.ts";
import { recordAction } from "./record-action.ts";

/**
 * Reports in an Event and in the log that a run stopped because its record is gone: the annotation can't say so. `warnings` are what else its
 * end would say.
 */
export function tellLost({ connection, crd, run, control }: HeldRun, message: string, warnings: readonly (string | null)[]): void {
  noteLostRun(run);
  const endedAt = new Date().toISOString();
  const last = control.current();
  const reasons = [...new Set([message, ...warnings])].filter((reason) => reason !== null);
  const told = ["The rewrite stopped.", ...reasons, last.delegation?.left].filter(Boolean).join(" ");
  recordAction(connection, crd.name, { kind: "failed", at: endedAt, run: run.id, message: told }, crd.uid);
  const ended: Run = { ...last, phase: "failed", statusReason: reasons.join(" "), endedAt, retryAt: null };
  control.current = () => ended;
}
