import type { Connection } from "#lib/cluster/connection.ts";
import { protectionOf } from "#lib/cluster/protection-of.ts";
import { knownCrd } from "#lib/cluster/read-runs.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { CONFIRM_HEADER, type Protection, REASON_HEADER, REASON_LENGTH, reasonSchema } from "#lib/contract/protection.ts";
import { recordAction } from "./record-action.ts";

interface Given {
  /** What was typed as the definition's name; null for nothing. */
  confirm: string | null;
  reason: string | null;
  signal: AbortSignal;
}

/**
 * Lets a definition be changed that is not protected, or whose name and a reason are given.
 * @returns what tells of the reason as an action, once the change is made.
 * @throws AppError precondition_failed that says what to send.
 */
export async function justifyChange(connection: Connection, crdName: string, { confirm, reason, signal }: Given): Promise<() => void> {
  const pattern = protectionOf(crdName);
  if (pattern === null) return () => {};
  const why = reasonSchema.safeParse(reason);
  if (confirm !== crdName || !why.success) throw unjustified({ pattern, crd: crdName });
  // Only of a definition that is known an Event can be written.
  await knownCrd(connection, crdName, signal);
  const message = `Reason given for a change of a protected definition: ${why.data.replaceAll(/\s+/g, " ")}`;
  return () => recordAction(connection, crdName, { kind: "justified", at: new Date().toISOString(), run: null, message });
}

function unjustified(protection: Protection): AppError {
  const { pattern, crd } = protection;
  const { least, most } = REASON_LENGTH;
  return new AppError("precondition_failed", `${crd} is protected by the pattern ${pattern}.`, {
    nextStep:
      `Give its name, and a reason in ${least} to ${most} characters. ` +
      `Scripts send the headers ${CONFIRM_HEADER}: ${crd}, and ${REASON_HEADER}: the reason as encodeURIComponent writes it.`,
    details: { protection },
  });
}
