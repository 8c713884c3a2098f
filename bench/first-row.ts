import { chromium } from "playwright";
import type { BenchDashboard } from "./dashboard.ts";

export interface FirstRow {
  /** From opening the page to the first definition on screen, a new browser profile each. */
  seconds: number[];
  browserVersion: string;
}

const TIMEOUT_MS = 60_000;

/** Opens the fleet so many times in a real Chromium. */
export async function measureFirstRow({ page, signIn }: BenchDashboard, times: number): Promise<FirstRow> {
  const cookies = await signIn();
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const seconds: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      await context.addCookies(cookies);
      const tab = await context.newPage();
      const startedAt = performance.now();
      await tab.goto(page, { waitUntil: "commit", timeout: TIMEOUT_MS });
      // Rows of the skeleton hold no links.
      await tab.locator("[data-row-index]").first().waitFor({ timeout: TIMEOUT_MS });
      seconds.push((performance.now() - startedAt) / 1_000);
      await context.close();
    }
    return { seconds, browserVersion: browser.version() };
  } finally {
    await browser.close();
  }
}
