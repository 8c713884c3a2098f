import { signInAddress } from "./sign-in-address.ts";

let isLeaving = false;

/** Loads another page in this one's place, so that nothing stays that this one has read, for whoever is signed in there. */
export function leavePage(address: string): void {
  isLeaving = true;
  window.location.replace(address);
}

/** Leaves for the sign-in, which comes back here; once, however many answers ask for it, and not from the sign-in itself. */
export function leaveToSignIn(): void {
  const address = signInAddress(window.location);
  if (!isLeaving && address !== null) leavePage(address);
}
