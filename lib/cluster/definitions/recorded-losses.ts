import { listableLosses, mostLosses } from "#lib/domain/losses/dry-run-record.ts";
import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";

/** The acceptance with as many of its losses as a record lists, the others counted; the same object if it lists them all. */
export function withListableAccepted(accepted: AcceptedLosses | null): AcceptedLosses | null {
  return accepted && listing(accepted, listableLosses(accepted.losses));
}

/** The acceptance with one loss fewer, which is counted instead; the same object if none is listed. */
export function withFewerAccepted(accepted: AcceptedLosses | null): AcceptedLosses | null {
  return accepted && listing(accepted, mostLosses(accepted.losses, Math.max(0, accepted.losses.length - 1)));
}

function listing(accepted: AcceptedLosses, losses: AcceptedLosses["losses"]): AcceptedLosses {
  const cut = accepted.losses.length - losses.length;
  return cut === 0 ? accepted : { ...accepted, losses, more: accepted.more + cut };
}
