import { setTimeout } from "node:timers/promises";
import type { SignIn } from "#lib/contract/session.ts";
import type { Dashboard } from "./start-dashboard.ts";

/** A cookie for addCookies of Playwright's contexts, valid for all ports of the URL's host. */
export interface BrowserCookie {
  name: string;
  value: string;
  url: string;
  httpOnly: boolean;
  sameSite: "Strict";
}

const PRINTED_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 20;

/** Uses a dashboard's sign-in link as a browser would; the cookies work for every dashboard of this process. */
export async function signInBrowser({ url, output }: Pick<Dashboard, "url" | "output">): Promise<BrowserCookie[]> {
  return signInWith(url, { launch: await linkSecret(output) });
}

/** Signs in with this body and returns the cookies. */
export async function signInWith(url: string, body: SignIn): Promise<BrowserCookie[]> {
  const response = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`The sign-in failed: ${response.status} ${await response.text()}`);
  return response.headers.getSetCookie().flatMap((header) => {
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(header) ?? [];
    // A header without a value clears a cookie, and there is none yet.
    return name && value ? [{ name, value, url, httpOnly: true, sameSite: "Strict" }] : [];
  });
}

/** The newest link that a dashboard printed; empty if it hasn't printed any. */
export function newestSignInLink(output: string): string {
  return [...output.matchAll(/http\S+\/sign-in#launch=[\w-]+(?=\s)/g)].at(-1)?.[0] ?? "";
}

/** The secret of the newest link, once there is one. */
async function linkSecret(output: () => string): Promise<string> {
  const deadline = performance.now() + PRINTED_WITHIN_MS;
  for (;;) {
    const [, secret] = newestSignInLink(output()).split("#launch=");
    if (secret) return secret;
    if (performance.now() > deadline) throw new Error(`The dashboard printed no sign-in link:\n${output()}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}
