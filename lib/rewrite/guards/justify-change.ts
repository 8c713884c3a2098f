import type { Connection } from "#lib/cluster/connection/connection.ts";
import { protectionOf } from "#lib/cluster/definitions/protection-of.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { CONFIRM_HEADER, oneLine, type Protection, REASON_HEADER, REASON_LENGTH, reasonFault } from "#lib/contract/protection.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";

interface Given {
  /** The definition's name as typed; null if missing. */
  confirm: string | null;
  /** The raw header. */
  reason: string | null;
  signal: AbortSignal;
}

export interface Justification {
  /** Why a protected definition is changed, for the record of the change; null if it is not protected. */
  reason: string | null;
  /** Records the reason as an action. Call it once the change is made. */
  tell: () => void;
}

/**
 * Allows a change of an unprotected definition, or of a protected one if its name and a reason are given.
 * @throws AppError precondition_failed, which says what to send.
 */
export async function justifyChange(connection: Connection, crdName: string, { confirm, reason, signal }: Given): Promise<Justification> {
  const pattern = protectionOf(crdName);
  if (pattern === null) return { reason: null, tell: () => {} };
  const protection = { pattern, crd: crdName };
  if (confirm === null && reason === null) throw unjustified(protection, []);
  const given = decoded(reason);
  const faults = [nameFault(crdName, confirm), given === null ? UNREADABLE : reasonFault(given)].filter((fault) => fault !== null);
  if (given === null || faults.length > 0) throw unjustified(protection, faults);
  // The time when the reason was given; it is recorded later, once the change is made.
  const at = new Date().toISOString();
  // An Event can only be written for a known definition.
  await readKnownCrd(connection, crdName, signal);
  const text = plainText(oneLine(given));
  const message = `Reason for changing a protected definition: ${text}`;
  return { reason: text, tell: () => recordAction(connection, crdName, { kind: "justified", at, run: null, message }) };
}

const UNREADABLE = `${REASON_HEADER} is not encoded with encodeURIComponent.`;

function nameFault(crdName: string, confirm: string | null): string | null {
  if (confirm === null) return "The definition's name is missing.";
  return confirm === crdName ? null : "The name doesn't match the definition's.";
}

/** Null if it can't be decoded. */
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
      `Give its name and a reason of ${least} to ${most} characters. ` +
      `In scripts, send the headers ${CONFIRM_HEADER}: ${crd}, and ${REASON_HEADER}: the reason, encoded with encodeURIComponent.`,
    details: { protection },
  });
}
