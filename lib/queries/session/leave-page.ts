import type { SessionEnd } from "#lib/contract/session.ts";
import { endByClock } from "./known-session.ts";
import { signInAddress } from "./sign-in-address.ts";

let isLeaving = false;

/** Replaces this page with another, which drops everything this one has read. */
export function leavePage(address: string): void {
  isLeaving = true;
  window.location.replace(address);
}

/** Reloads this page, as the current user must not see what it shows. */
export function reloadPage(): void {
  isLeaving = true;
  window.location.reload();
}

/**
 * Leaves for the sign-in page, which says why and returns here. Does so once, however many answers ask for it, and never from the
 * sign-in page itself. `ended` is the reason that the server knows.
 */
export function leaveToSignIn(ended: SessionEnd | null): void {
  const address = signInAddress(window.location, ended ?? endByClock());
  if (!isLeaving && address !== null) leavePage(address);
}
