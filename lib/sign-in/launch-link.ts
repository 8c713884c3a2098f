import { randomBytes } from "node:crypto";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { listening } from "./mode.ts";
import { sameSecret } from "./session/seal.ts";

interface Launch {
  secret: string;
  /** Told whenever there is a new link, since the last was used. */
  onNew: (link: string) => void;
}

function launch(): Launch {
  return processWide("launch", () => ({ secret: newSecret(), onNew: () => {} }));
}

/** The link that signs one browser in, once. Its secret stands behind the #, which no server's log and no Referer holds. */
export function launchLink(): string {
  return `${listening().url ?? ""}/sign-in#launch=${launch().secret}`;
}

/** From now on a new link is told there, as soon as the last one was used. */
export function onNewLaunchLink(onNew: (link: string) => void): void {
  launch().onNew = onNew;
}

/** Whether it is the secret of the link; then the link is used up. */
export function takeLaunchSecret(secret: string): boolean {
  const current = launch();
  if (!sameSecret(secret, current.secret)) return false;
  current.secret = newSecret();
  current.onNew(launchLink());
  return true;
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
