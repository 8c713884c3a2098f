import { randomBytes } from "node:crypto";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { listening } from "./mode.ts";
import { sameSecret } from "./session/seal.ts";

interface CurrentLink {
  secret: string;
  /** Called with the new link each time one is used. */
  onNew: (link: string) => void;
}

function currentLink(): CurrentLink {
  return processWide("sign-in-link", () => ({ secret: newSecret(), onNew: () => {} }));
}

/** The link that signs in one browser, once. Its secret follows the #, which never appears in server logs or a Referer. */
export function signInLink(): string {
  return `${listening().url ?? ""}/sign-in#launch=${currentLink().secret}`;
}

/** Calls `onNew` with a new link each time one is used. */
export function onNewSignInLink(onNew: (link: string) => void): void {
  currentLink().onNew = onNew;
}

/** Whether the secret matches the current link; if so, the link is used up. */
export function takeLinkSecret(secret: string): boolean {
  const current = currentLink();
  if (!sameSecret(secret, current.secret)) return false;
  current.secret = newSecret();
  current.onNew(signInLink());
  return true;
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
