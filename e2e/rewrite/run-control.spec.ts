import { expect, expectAccessible, openRun, startRewrite, test } from "#e2e/fixtures.ts";
import { startHoldingWebhook } from "#lib/local-cluster/testing/holding-webhook.ts";

test("a rewrite is paused, gets a new pace and limit, and resumes", async ({ page, pageUrl, apiUrl, staleDefinition }) => {
  const definition = await staleDefinition(400);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  // The limit would hold for the dry run too that a rewrite makes without one.
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("All 400 objects tried would pass");
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("400 of 400 objects tried");
  await dialog.getByLabel("Gentle").check();
  await dialog.getByLabel("Max objects per second").fill("20");
  await dialog.getByRole("button", { name: "Rewrite", exact: true }).click();

  await expect(page.getByText("Limit: 20/s.")).toBeVisible();
  await expect.poll(async () => (await openRun(page, apiUrl)).counts.rewritten, { timeout: 60_000 }).toBeGreaterThan(5);
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByRole("button", { name: "Resume" })).toBeVisible();
  await expectAccessible(page);
  const paused = await openRun(page, apiUrl);
  expect(paused).toMatchObject({ phase: "paused", pace: "gentle", maxPerSecond: 20, command: null });
  await page.waitForTimeout(1_000);
  expect((await openRun(page, apiUrl)).counts).toEqual(paused.counts);

  await page.getByLabel("At most").fill("5,000");
  await page.getByLabel("Pace").selectOption("As fast as it goes");
  await page.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("Limit: 5,000/s")).toBeVisible();
  expect(await openRun(page, apiUrl)).toMatchObject({ pace: "fast", maxPerSecond: 5_000 });
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(page.getByText("All 400 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("img", { name: /Objects per second over .*: min .*, max .*, latest/ })).toBeVisible();
});

test("a pause that waits for requests in flight shows as pressed and can be taken back", async ({
  page,
  pageUrl,
  api,
  staleDefinition,
}) => {
  const definition = await staleDefinition(50);
  const webhook = await startHoldingWebhook(api, definition);
  try {
    await page.goto(pageUrl(`/crds/${definition.name}`));
    await startRewrite(page);
    await expect(page.getByText("rewriting", { exact: true })).toBeVisible({ timeout: 60_000 });
    // Before that nothing is under way, and a pause would be in force at once.
    await expect.poll(() => webhook.held(), { timeout: 60_000 }).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Pause" }).click();
    await expect(page.getByRole("button", { name: "Pausing…" })).toBeDisabled();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Undo pause" }).click();
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeEnabled();
    await expect(page.getByRole("button", { name: "Undo pause" })).toBeHidden();
    webhook.release();
    await expect(page.getByText("All 50 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  } finally {
    await webhook.remove();
  }
});
