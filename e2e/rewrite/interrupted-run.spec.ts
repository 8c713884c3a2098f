import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright/test";
import { CONTEXT, expect, runEnd, startAtOnce, test } from "#e2e/fixtures.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import type { Dashboard } from "#lib/server/testing/start-dashboard.ts";

/** Starts a rewrite and opens its page, once that follows it. Returns the path of the definition's rewrites. */
async function openLiveRun(page: Page, { url }: Dashboard, { name }: SampleDefinition, pace: { maxPerSecond: number }) {
  const path = `/clusters/${encodeURIComponent(CONTEXT)}/crds/${name}/rewrites`;
  const started = await askDashboard(`${url}/api${path}`, startAtOnce(pace));
  const { id } = (await started.json()) as { id: string };
  await page.goto(`${url}${path}/${id}`);
  await expect(page.getByText("rewriting", { exact: true })).toBeVisible();
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  return { path, id };
}

test("SIGTERM or a closed terminal ends crdshift cleanly, a run is interrupted immediately; an open page says so, and it can be resumed", async ({
  cluster,
  page,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(1_000);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  const { path, id } = await openLiveRun(page, dashboard, definition, { maxPerSecond: 20 });
  const pressedAt = performance.now();
  expect(await dashboard.stop("SIGTERM")).toBe(0);
  expect(performance.now() - pressedAt).toBeLessThan(15_000);
  const record = (await definition.read()).metadata.annotations?.["crdshift.dev/rewrite"];
  expect(JSON.parse(record ?? "{}")).toMatchObject({ holder: null, proof: null, runs: [{ phase: "interrupted" }] });

  // With every stop shown as a cancel (snapshot in progress.ts) the page says "Cancelling…" for as long as it is open.
  const result = page.getByRole("region", { name: "Result" });
  await expect(result).toContainText(/^Interrupted with [\d,]+ remaining\. Resume continues where it stopped\.crdshift was shut down\./);
  await expect(page.getByText("Cancelling…")).toBeHidden();

  const second = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  await page.goto(`${second.url}${path}/${id}`);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("rewriting", { exact: true })).toBeVisible();
  await askDashboard(`${second.url}/api${path}/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ maxPerSecond: null }),
  });
  const run = await runEnd(`${second.url}/api${path}/${id}`);
  expect(run).toMatchObject({ phase: "succeeded", counts: { total: 1_000, rejected: 0, remaining: 0 } });
  expect(await second.stop("SIGHUP")).toBe(0);
});

/** Longer than a page waits before it asks whether crdshift still answers; it drops the event stream if not. */
const SLOW_END_MS = 7_000;

test("While crdshift shuts down, an open page stays live until the run's end is written, and nothing can be changed", async ({
  cluster,
  page,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(200);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  const { path } = await openLiveRun(page, dashboard, definition, { maxPerSecond: 1 });

  const apiServer = cluster.apiServer.pid();
  let stopped: Promise<number | null>;
  let refused: Response;
  process.kill(apiServer, "SIGSTOP");
  try {
    stopped = dashboard.stop("SIGTERM");
    await sleep(SLOW_END_MS);
    refused = await askDashboard(`${dashboard.url}/api${path}`, startAtOnce({}));
    await expect(page.getByText("live", { exact: true })).toBeVisible({ timeout: 1_000 });
  } finally {
    process.kill(apiServer, "SIGCONT");
  }
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { message: "crdshift is shutting down." } });
  expect(await stopped).toBe(0);
  await expect(page.getByRole("region", { name: "Result" })).toContainText(/^Interrupted with [\d,]+ remaining\./);
});
