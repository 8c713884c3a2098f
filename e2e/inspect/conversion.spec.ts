import { expect, expectAccessible, test } from "#e2e/fixtures.ts";

/** v1 has a place for the size only. */
const narrower = {
  count: 3,
  v1: { properties: { size: { type: "integer" } } },
  spec: (index: number) => ({ size: index, note: "kept so far" }),
};

test("a definition's page shows how objects are converted, the losses, and whether conversion works now", async ({
  page,
  pageUrl,
  api,
  definitionWith,
}) => {
  const definition = await definitionWith(narrower);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await page.goto(pageUrl(`/crds/${definition.name}`));
  const section = page.getByRole("region", { name: "Conversion", exact: true });
  const findings = section.getByRole("list", { name: "Findings" });
  const probed = section.getByRole("table", { name: "Conversion by version" });
  await expect(findings).toContainText("v1beta1 to v1 drops spec.*");
  await section.getByText("v1beta1 to v1: 1 field").click();
  await expect(section.getByRole("list", { name: "Fields in v1beta1 but not in v1" })).toContainText("spec.*");
  await section.getByRole("button", { name: "Probe conversion" }).click();
  await expect(probed.getByRole("row", { name: /^v1beta1/ })).toContainText(/\d ms.*\d ms.*answers/);
  await expect(section).toContainText("No webhook is involved");
  await expectAccessible(page);

  // The page follows the spec, and what was probed before says nothing of it.
  const webhook = { clientConfig: { url: "https://127.0.0.1:1/convert" }, conversionReviewVersions: ["v1"] };
  await api.mergePatch(path, { spec: { conversion: { strategy: "Webhook", webhook } } });
  await expect(section).toContainText("https://127.0.0.1:1/convert");
  await expect(findings).toContainText("No CA bundle is set");
  await expect(probed).toBeHidden();
  // For a moment the API server still converts as before.
  await expect(async () => {
    await section.getByRole("button", { name: /^Probe/ }).click();
    await expect(probed.getByRole("row", { name: /^v1 / })).toContainText("conversion webhook for", { timeout: 10_000 });
  }).toPass({ timeout: 90_000 });
  await expect(section).toContainText(/probed \d+ s ago/);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await expectAccessible(page);
  await api.mergePatch(path, { spec: { conversion: { strategy: "None", webhook: null } } });
});

test("shows an object at two versions side by side, with differences marked and counted", async ({ page, pageUrl, definitionWith }) => {
  const definition = await definitionWith(narrower);
  await page.goto(pageUrl(`/crds/${definition.name}/objects/widget-000001?namespace=default`));
  await page.getByLabel("Compare with").selectOption("v1beta1");
  await expect(page).toHaveURL(/beside=v1beta1/);
  const table = page.getByRole("table", { name: "The object at v1 and at v1beta1" });
  await expect(table.getByRole("row").filter({ hasText: '"note"' })).toContainText("only at v1beta1");
  await expect(page.getByText("1 line only at v1, 2 lines only at v1beta1; the rest is the same.")).toBeVisible();
  await expectAccessible(page);

  await page.reload();
  await expect(table).toBeVisible();
  await page.getByLabel("Version", { exact: true }).selectOption("v1beta1");
  await expect(page.getByText("2 lines only at v1beta1, 1 line only at v1; the rest is the same.")).toBeVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page.getByLabel("Compare with").selectOption("none");
  await expect(page.getByRole("group", { name: "The object, scrolls" })).toBeVisible();
});
