import type { Connection } from "#lib/cluster/connection/connection.ts";
import { protectionOf } from "#lib/cluster/definitions/read-detail.ts";
import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { CONFIRM_HEADER, oneLine, type Protection, REASON_HEADER, REASON_LENGTH, reasonFault } from "#lib/contract/protection.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";

interface Given {
  /** What was typed as the definition's name; null for nothing. */
  confirm: string | null;
  /** As the header has it. */
  reason: string | null;
  signal: AbortSignal;
}

export interface Justification {
  /** Why a protected definition is changed, for the record of the change; null of one that is not protected. */
  reason: string | null;
  /** Tells of the reason as an action; to be called once the change is made. */
  tell: () => void;
}

/**
 * Lets a definition be changed that is not protected, or whose name and a reason are given.
 * @throws AppError precondition_failed that says what to send.
 */
export async function justifyChange(connection: Connection, crdName: string, { confirm, reason, signal }: Given): Promise<Justification> {
  const pattern = protectionOf(crdName);
  if (pattern === null) return { reason: null, tell: () => {} };
  const protection = { pattern, crd: crdName };
  if (confirm === null && reason === null) throw unjustified(protection, []);
  const given = decoded(reason);
  const faults = [nameFault(crdName, confirm), given === null ? UNREADABLE : reasonFault(given)].filter((fault) => fault !== null);
  if (given === null || faults.length > 0) throw unjustified(protection, faults);
  // It is told once the change is made, and was given before.
  const at = new Date().toISOString();
  // Only of a definition that is known an Event can be written.
  await knownCrd(connection, crdName, signal);
  const text = plainText(oneLine(given));
  const message = `Reason given for a change of a protected definition: ${text}`;
  return { reason: text, tell: () => recordAction(connection, crdName, { kind: "justified", at, run: null, message }) };
}

const UNREADABLE = `${REASON_HEADER} is not as encodeURIComponent writes it.`;

function nameFault(crdName: string, confirm: string | null): string | null {
  if (confirm === null) return "The definition's name was not given.";
  return confirm === crdName ? null : "The name that was given is not the definition's.";
}

/** Null for what can't be decoded. */
function decoded(header: string | null): string | null {
  try {
    return decodeURIComponent(header ?? "");
  } catch {
    return null;
  }
}

function unjustified(protection: Protection, faults: readonly string[]): AppError {
  const { pattern, crd } = protection;
  const { least, most } = REASON_LENGTH;
  return new AppError("precondition_failed", [`${crd} is protected by the pattern ${pattern}.`, ...faults].join(" "), {
    nextStep:
      `Give its name, and a reason in ${least} to ${most} characters. ` +
      `Scripts send the headers ${CONFIRM_HEADER}: ${crd}, and ${REASON_HEADER}: the reason as encodeURIComponent writes it.`,
    details: { protection },
  });
}
