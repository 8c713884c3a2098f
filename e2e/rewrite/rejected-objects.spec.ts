import { denyUpdates } from "#e2e/deny-updates.ts";
import { expect, expectAccessible, openRun, startRewrite, test } from "#e2e/fixtures.ts";

/** The object of size 5 is rejected as long as it has that size: a rule on the old value is not ratcheted. */
const rejecting = {
  count: 12,
  v1: {
    properties: {
      size: { type: "integer", "x-kubernetes-validations": [{ rule: "self != 5 || oldSelf != 5", message: "five is frozen" }] },
    },
  },
  spec: (index: number) => ({ size: index }),
};

test("a rejected object is linked, fixed, and retried by a rewrite that skips the rest", async ({
  page,
  pageUrl,
  apiUrl,
  api,
  definitionWith,
}) => {
  const definition = await definitionWith(rejecting);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("1 of 12 objects tried would be rejected.");
  await expect(page.getByRole("list", { name: "Rejections" })).toContainText("five is frozen");
  await startRewrite(page);
  await expect(page.getByText("1 object could not be rewritten, so there is no proof.").first()).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);

  await page.getByRole("list", { name: "Rejections" }).getByRole("link", { name: "default/widget-000005" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("default/widget-000005");
  await expect(page.getByRole("group", { name: /The object/ })).toContainText('"size": 5');
  await expectAccessible(page);
  await page.goBack();

  await api.mergePatch(definition.path("v1", { name: "widget-000005" }), { spec: { size: 6 } });
  await page.getByRole("button", { name: "Retry these objects" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("retries the 1 rejected object");
  await dialog.getByRole("button", { name: "Retry", exact: true }).click();
  await expect(page.getByText("All 12 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  expect((await openRun(page, apiUrl)).counts.alreadyCurrent).toBe(12);
});

test("an object that a policy refuses goes through /status on request", async ({ page, pageUrl, api, definitionWith }) => {
  const definition = await definitionWith({ count: 6, v1: { hasStatus: true }, v1beta1: { hasStatus: true }, spec: (size) => ({ size }) });
  const allowUpdates = await denyUpdates(api, definition, "widget-000002");
  try {
    await page.goto(pageUrl(`/crds/${definition.name}`));
    await startRewrite(page);
    await expect(page.getByText("1 object could not be rewritten, so there is no proof.").first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole("list", { name: "Rejections" })).toContainText("widget-000002 is frozen by the test");
    await page.getByRole("button", { name: "Retry through /status" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("checkbox", { name: "Try rejected objects through /status" })).toBeChecked();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Retry", exact: true }).click();
    await expect(page.getByText("All 6 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
    await expect(page.getByRole("region", { name: "Details" })).toContainText("1 object rewritten this way");
  } finally {
    await allowUpdates();
  }
});
