import { CONTEXT, expect, runEnd, startAtOnce, test } from "#e2e/fixtures.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

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
  const { counts: recorded } = (await (await askDashboard(`${second.url}/api${path}/rewrites/${id}`)).json()) as Run;
  await resume.click();
  const run = await runEnd(`${second.url}/api${path}/rewrites/${id}`);
  await expect(page.getByText("by another crdshift")).toBeVisible();
  expect(run).toMatchObject({ phase: "succeeded", counts: { total: 4_000, rejected: 0, remaining: 0 } });
  // Those that it rewrote but never recorded are current already.
  expect(run.rewrittenAtLeast).toBe(true);
  expect(run.counts.alreadyCurrent).toBeGreaterThanOrEqual(doneBefore - recorded.rewritten);
  expect(await storedAt("v1")).toBe(4_000);
});
