import { expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";

test.use({ release: olderRelease });

test("a rewrite keeps ownership on request, and then there are no losses to accept", async ({ page, pageUrl, definitionWith }) => {
  const size = { type: "integer" };
  // A default on a field that the old version lacks costs managedFields, up to Kubernetes 1.36.
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
  await expect(page.getByText("All 9 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("region", { name: "Details" })).toContainText("carried over in 9 objects");
});
