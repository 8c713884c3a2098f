import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import { signInBrowser } from "#lib/server/testing/sign-in-browser.ts";
import { startDashboard } from "#lib/server/testing/start-dashboard.ts";

/** `npm run screenshots`: the README's pictures, taken from a demo that is made for it and removed afterwards. */
const folder = import.meta.dirname;
const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };

const data = await mkdtemp(join(tmpdir(), "crdshift-screenshots-"));
const dashboard = await startDashboard({ XDG_DATA_HOME: data, CRDSHIFT_SETTLE_SECONDS: "5" }, ["--demo"]);
const cookies = await signInBrowser(dashboard);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
try {
  const fleet = `${dashboard.url}/clusters/crdshift-demo`;
  const cronTabs = `${fleet}/crds/crontabs.stable.example.com`;
  await picture("fleet-light", { url: fleet, ready: loaded });
  await picture("fleet-dark", { url: fleet, ready: loaded, colorScheme: "dark" });
  await picture("fleet-narrow", { url: fleet, ready: loaded, viewport: narrow });
  await picture("definition", { url: cronTabs, ready: counted });

  const page = await open(browser, { colorScheme: "light", viewport: wide });
  await page.goto(`${fleet}/crds/databaseclaims.platform.example.com`);
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByRole("region", { name: "Result" }).waitFor({ timeout: 120_000 });
  await page.screenshot({ path: join(folder, "dry-run.png") });
  await page.goto(cronTabs);
  await startRewrite(page);
  await page.getByText(/\d\/s/).first().waitFor();
  await page.screenshot({ path: join(folder, "rewrite-running.png") });
  await page.getByText("All 1,500 objects are stored as v1.").first().waitFor({ timeout: 120_000 });
  await page.screenshot({ path: join(folder, "rewrite-proven.png") });
  await page.getByRole("button", { name: "Prune v1beta1" }).click();
  await page.getByRole("alertdialog").waitFor();
  await page.screenshot({ path: join(folder, "prune.png") });
  await page.close();

  const rollouts = `${fleet}/crds/rolloutplans.delivery.example.com`;
  await picture("rejected", { url: rollouts, ready: rejected, colorScheme: "dark" });
} finally {
  await browser.close();
  await dashboard.stop();
  await rm(data, { recursive: true });
}

interface Picture {
  url: string;
  ready: (page: Page) => Promise<void>;
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
}

async function picture(name: string, { url, ready, colorScheme = "light", viewport = wide }: Picture): Promise<void> {
  const page = await open(browser, { colorScheme, viewport });
  await page.goto(url);
  await ready(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.close();
}

async function open(from: Browser, options: { colorScheme: "light" | "dark"; viewport: { width: number; height: number } }): Promise<Page> {
  const page = await from.newPage({ ...options, reducedMotion: "reduce" });
  await page.context().addCookies(cookies);
  return page;
}

async function startRewrite(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rewrite", exact: true }).click();
}

async function loaded(page: Page): Promise<void> {
  await page.getByText("live", { exact: true }).waitFor();
  await page.getByRole("row").filter({ hasText: "crontabs" }).filter({ hasText: "1,500" }).waitFor();
}

async function counted(page: Page): Promise<void> {
  await page
    .getByText(/counted .* ago/)
    .first()
    .waitFor();
}

async function rejected(page: Page): Promise<void> {
  await startRewrite(page);
  await page.getByText("could not be rewritten").first().waitFor({ timeout: 120_000 });
}
