import { setTimeout } from "node:timers/promises";
import type { SignIn } from "#lib/contract/session.ts";
import type { Dashboard } from "./start-dashboard.ts";

/** A cookie as the addCookies of Playwright's contexts takes it: for all ports of the URL's host. */
export interface BrowserCookie {
  name: string;
  value: string;
  url: string;
  httpOnly: boolean;
  sameSite: "Strict";
}

const PRINTED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** Uses a dashboard's launch link up, as a browser would; the cookies sign a browser in to every dashboard of this process. */
export async function signInBrowser({ url, output }: Pick<Dashboard, "url" | "output">): Promise<BrowserCookie[]> {
  return signInWith(url, { launch: await launchSecret(output) });
}

/** The cookies of somebody who signs in with this. */
export async function signInWith(url: string, body: SignIn): Promise<BrowserCookie[]> {
  const response = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Nobody was signed in: ${response.status} ${await response.text()}`);
  return response.headers.getSetCookie().flatMap((header) => {
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(header) ?? [];
    // One without a value takes a cookie away, and there is none yet.
    return name && value ? [{ name, value, url, httpOnly: true, sameSite: "Strict" }] : [];
  });
}

/** The newest link that a dashboard printed; empty while it has printed none. */
export function newestLaunchLink(output: string): string {
  return [...output.matchAll(/http\S+\/sign-in#launch=[\w-]+(?=\s)/g)].at(-1)?.[0] ?? "";
}

/** The secret of the newest link, once there is one. */
async function launchSecret(output: () => string): Promise<string> {
  const deadline = performance.now() + PRINTED_WITHIN_MS;
  for (;;) {
    const [, secret] = newestLaunchLink(output()).split("#launch=");
    if (secret) return secret;
    if (performance.now() > deadline) throw new Error(`The dashboard printed no launch link:\n${output()}`);
    await setTimeout(LOOK_EVERY_MS);
  }
}
