import { expect, expectAccessible, startRewrite, test } from "#e2e/fixtures.ts";

/** v1 has a place for the size only; every third object has a note. */
const losing = {
  count: 30,
  v1: { properties: { size: { type: "integer" } } },
  spec: (index: number) => (index % 3 === 0 ? { size: index, note: "kept so far" } : { size: index }),
};

test("a dry run shows the losses, the rewrite waits until they are accepted, and the proof says by whom", async ({
  page,
  pageUrl,
  cluster,
  definitionWith,
}) => {
  const definition = await definitionWith(losing);
  const withNote = async () =>
    [...(await definition.storedValues(cluster.etcd)).values()].filter(({ specText }) => specText.includes("note")).length;
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();

  await expect(page).toHaveURL(/\/dry-runs\//);
  const losses = page.getByRole("table", { name: "Losses" });
  const note = losses.getByRole("row").filter({ hasText: "spec.note" });
  await expect(note).toContainText("10 of 30");
  await expect(note).toContainText('"kept so far"');
  await expect(page.getByRole("region", { name: "Result" })).toContainText("spec.note");
  await expect(page.getByRole("table", { name: "Checks" })).toContainText("Permissions");
  await expectAccessible(page);
  expect(await withNote()).toBe(10);

  await note.getByRole("link").first().click();
  await expect(page).toHaveURL(/version=v1beta1&beside=v1&at=spec\.note$/);
  const diff = page.getByRole("table", { name: "The object at v1beta1 and at v1" });
  await expect(diff.locator("[aria-current=location]")).toContainText('"note": "kept so far"');
  await expect(diff.locator("[aria-current=location]")).toBeInViewport();
  await expectAccessible(page);

  await page.goto(pageUrl(`/crds/${definition.name}`));
  await expect(page.getByRole("region", { name: "Dry run" })).toContainText("1 field would be dropped.");
  await page.getByRole("link", { name: "Review losses" }).click();
  await expect(page).toHaveURL(/\/dry-runs\//);
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const rewrite = dialog.getByRole("button", { name: "Rewrite", exact: true });
  await expect(dialog.getByRole("listitem").filter({ hasText: "spec.note" })).toContainText("10 objects");
  await expect(rewrite).toBeDisabled();
  await expect(dialog).toContainText("Accept the losses first");
  await expectAccessible(page);
  await dialog.getByRole("checkbox", { name: "I accept these losses" }).check();
  await rewrite.click();

  await expect(page).toHaveURL(/\/rewrites\//);
  await expect(page.getByText("All 30 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await expectAccessible(page);
  expect(await withNote()).toBe(0);
  await page.getByRole("link", { name: "Go to the definition" }).click();
  const proof = page.getByRole("region", { name: "Proof" });
  await proof.getByText(/\d paths?, by/).click();
  await expect(proof.getByRole("listitem").filter({ hasText: "spec.note" })).toContainText("10 objects");
  await expect(page.getByRole("region", { name: "Dry run" })).toContainText("No dry run since the last rewrite.");
  await expectAccessible(page);
});

test("a rewrite without a dry run does its own and stops before losing anything", async ({ page, pageUrl, cluster, definitionWith }) => {
  const definition = await definitionWith(losing);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await startRewrite(page);
  const result = page.getByRole("region", { name: "Result" });
  await expect(result).toContainText("Held back before anything was rewritten.", { timeout: 60_000 });
  await expect(result).toContainText("spec.note");
  await expectAccessible(page);
  const versions = [...(await definition.storedValues(cluster.etcd)).values()].map(({ apiVersion }) => apiVersion);
  expect(new Set(versions)).toEqual(new Set([`${definition.group}/v1beta1`]));

  await page.getByRole("button", { name: "Review and rewrite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "I accept these losses" }).check();
  await dialog.getByRole("button", { name: "Rewrite", exact: true }).click();
  await expect(page.getByText("All 30 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
});

test("losses that are unknown are accepted apart from the listed ones, and the proof tells both", async ({
  page,
  pageUrl,
  definitionWith,
}) => {
  const size = { type: "integer" };
  const note = { type: "string" };
  const v1 = { properties: { size } };
  const spec = (index: number) => (index === 0 ? { size: 9, hidden: "unseen" } : { size: 1, note: "seen" });
  const definition = await definitionWith({ count: 6, v1, v1beta1: { properties: { size, note, hidden: note } }, spec });
  // From now on, no read shows that field of the first object, which its managedFields name.
  await definition.flip([
    { name: "v1", storage: true, ...v1 },
    { name: "v1beta1", properties: { size, note } },
  ]);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("What a rewrite would lose is unknown");
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const rewrite = dialog.getByRole("button", { name: "Rewrite", exact: true });
  await expect(dialog.getByRole("listitem").filter({ hasText: "spec.note" })).toContainText("5 objects");
  await dialog.getByRole("checkbox", { name: "I accept losses unseen" }).check();
  await expect(rewrite).toBeDisabled();
  await expect(dialog).toContainText("Accept the losses first");
  await dialog.getByRole("checkbox", { name: "I accept losses unseen" }).uncheck();
  await dialog.getByRole("checkbox", { name: "I accept these losses" }).check();
  await expect(dialog).toContainText("leaves it unchanged if its losses stay unknown");
  await expect(rewrite).toBeEnabled();
  await dialog.getByRole("checkbox", { name: "I accept losses unseen" }).check();
  await expectAccessible(page);
  await rewrite.click();
  await expect(page.getByText("All 6 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole("link", { name: "Go to the definition" }).click();
  const proof = page.getByRole("region", { name: "Proof" });
  await proof.getByText(/1 path and unseen losses, by/).click();
  await expect(proof).toContainText("Any other loss was accepted unseen.");
  await expectAccessible(page);
});

test("a dry run can be cancelled and repeated on a sample", async ({ page, pageUrl, staleDefinition }) => {
  const definition = await staleDefinition(3_000);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("Cancelled after");
  await page.getByLabel("Repeat with at most").fill("200");
  await page.getByRole("button", { name: "Dry run again" }).click();
  await expect(page.getByText("Random sample: 200 of 3,000 objects.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Result" })).toContainText("All 200 objects tried would pass, and nothing would be lost.");
  await expectAccessible(page);
});
