import type { SessionEnd } from "#lib/contract/session.ts";
import { endByClock } from "./known-session.ts";
import { signInAddress } from "./sign-in-address.ts";

let isLeaving = false;

/** Loads another page in this one's place, so that nothing stays that this one has read, for whoever is signed in there. */
export function leavePage(address: string): void {
  isLeaving = true;
  window.location.replace(address);
}

/** Reads this page anew: what it shows is not for whoever is signed in now. */
export function reloadPage(): void {
  isLeaving = true;
  window.location.reload();
}

/**
 * Leaves for the sign-in, which says why and comes back here; once, however many answers ask for it, and not from the sign-in itself.
 * `ended` is what the server knows of it.
 */
export function leaveToSignIn(ended: SessionEnd | null): void {
  const address = signInAddress(window.location, ended ?? endByClock());
  if (!isLeaving && address !== null) leavePage(address);
}
