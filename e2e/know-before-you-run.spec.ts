import { expectAccessible } from "./accessibility.ts";
import { expect, startRewrite, test } from "./fixtures.ts";

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
  await expect(losses.getByRole("row").filter({ hasText: "spec.note" })).toContainText("10 of 30");
  await expect(page.getByRole("region", { name: "Result" })).toContainText("spec.note");
  await expect(page.getByRole("table", { name: "Checks" })).toContainText("Permissions");
  await expectAccessible(page);
  expect(await withNote()).toBe(10);

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
  await expect(page.getByText("All 30 objects are stored as v1.").first()).toBeVisible({ timeout: 30_000 });
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
  await expect(result).toContainText("Held back before anything was rewritten.", { timeout: 30_000 });
  await expect(result).toContainText("spec.note");
  await expectAccessible(page);
  const versions = [...(await definition.storedValues(cluster.etcd)).values()].map(({ apiVersion }) => apiVersion);
  expect(new Set(versions)).toEqual(new Set([`${definition.group}/v1beta1`]));

  await page.getByRole("button", { name: "Review and rewrite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("checkbox", { name: "I accept these losses" }).check();
  await dialog.getByRole("button", { name: "Rewrite", exact: true }).click();
  await expect(page.getByText("All 30 objects are stored as v1.").first()).toBeVisible({ timeout: 30_000 });
});

test("a rewrite keeps ownership on request, and then there are no losses to accept", async ({ page, pageUrl, definitionWith }) => {
  const size = { type: "integer" };
  // A default on a field that the old version lacks costs managedFields.
  const definition = await definitionWith({
    count: 9,
    v1: { properties: { size, mode: { type: "string", default: "fast" } } },
    v1beta1: { properties: { size } },
    spec: (index) => ({ size: index }),
  });
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  const lost = page.getByRole("table", { name: "Losses" }).getByRole("row").filter({ hasText: "ownership lost" });
  await expect(lost).toContainText("9 of 9");
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const rewrite = dialog.getByRole("button", { name: "Rewrite", exact: true });
  await expect(dialog.getByRole("list", { name: "What the rewrite would change" })).toContainText("9 objects");
  await expect(dialog).toContainText("Keep ownership, or accept that it is lost.");
  await expect(rewrite).toBeDisabled();
  await dialog.getByRole("checkbox", { name: "Keep ownership" }).check();
  await expect(dialog).toContainText("Nothing left to accept: ownership is kept.");
  await expectAccessible(page);
  await rewrite.click();
  await expect(page.getByText("All 9 objects are stored as v1.").first()).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole("region", { name: "Details" })).toContainText("carried over in 9 objects");
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
