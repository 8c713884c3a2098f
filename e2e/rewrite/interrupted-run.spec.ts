import { CONTEXT, expect, runEnd, test } from "#e2e/fixtures.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

/** With losses accepted a rewrite makes no dry run first. */
const startAtOnce = (options: { maxPerSecond?: number } = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ acceptLosses: true, ...options }),
});

test("a run whose process was killed shows as interrupted, and once resumed skips finished objects", async ({
  cluster,
  page,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(4_000);
  const path = `/clusters/${encodeURIComponent(CONTEXT)}/crds/${definition.name}`;

  const first = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  const rewrites = `${first.url}/api${path}/rewrites`;
  const started = await askDashboard(rewrites, startAtOnce({ maxPerSecond: 500 }));
  const { id } = (await started.json()) as { id: string };
  const storedAt = async (version: string) =>
    [...(await definition.storedValues(cluster.etcd)).values()].filter(({ apiVersion }) => apiVersion.endsWith(`/${version}`)).length;
  await expect.poll(() => storedAt("v1"), { intervals: [50] }).toBeGreaterThan(200);
  await first.stop("SIGKILL");
  const doneBefore = await storedAt("v1");
  expect(doneBefore).toBeLessThan(4_000);

  const second = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  await page.goto(`${second.url}${path}/rewrites/${id}`);
  const resume = page.getByRole("button", { name: "Resume" });
  // Its holder may be taken over after 45 seconds of silence, not before.
  await expect(resume).toBeEnabled({ timeout: 60_000 });
  await expect(page.getByText("interrupted", { exact: false }).first()).toBeVisible();
  await resume.click();
  const run = await runEnd(`${second.url}/api${path}/rewrites/${id}`);
  await expect(page.getByText("by another crdshift")).toBeVisible();
  expect(run).toMatchObject({ phase: "succeeded", counts: { total: 4_000, rejected: 0, remaining: 0 } });
  expect(run.counts.alreadyCurrent).toBeGreaterThanOrEqual(doneBefore);
  expect(await storedAt("v1")).toBe(4_000);
});

test("SIGTERM interrupts a run immediately and exits cleanly; an open page says so and the run can be resumed", async ({
  cluster,
  page,
  staleDefinition,
  ownDashboard,
}) => {
  const definition = await staleDefinition(1_000);
  const path = `/clusters/${encodeURIComponent(CONTEXT)}/crds/${definition.name}/rewrites`;
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_SETTLE_SECONDS: "0" });
  const started = await askDashboard(`${dashboard.url}/api${path}`, startAtOnce({ maxPerSecond: 20 }));
  const { id } = (await started.json()) as { id: string };
  await page.goto(`${dashboard.url}${path}/${id}`);
  await expect(page.getByText("rewriting", { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  const pressedAt = performance.now();
  expect(await dashboard.stop("SIGTERM")).toBe(0);
  expect(performance.now() - pressedAt).toBeLessThan(15_000);
  const record = (await definition.read()).metadata.annotations?.["crdshift.dev/rewrite"];
  expect(JSON.parse(record ?? "{}")).toMatchObject({ holder: null, proof: null, runs: [{ phase: "interrupted" }] });

  // With every stop shown as a cancel (snapshot in run-rewrite.ts) the page says "Cancelling…" for as long as it is open.
  const result = page.getByRole("region", { name: "Result" });
  await expect(result).toContainText(/^Interrupted with [\d,]+ remaining\. Resume continues where it stopped\.crdshift was shut down\./);
  await expect(page.getByText("Cancelling…")).toBeHidden();
});
