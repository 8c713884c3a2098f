import { expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ colorScheme });

    test("a user goes from the fleet to a pruned definition, and the API server then accepts removing the old version", async ({
      page,
      pageUrl,
      dashboard,
      cluster,
      staleDefinition,
    }) => {
      const definition = await staleDefinition(400);
      await page.goto(dashboard.url);

      // The fleet: what blocks me?
      await expect(page).toHaveURL(pageUrl());
      const row = page.getByRole("row").filter({ hasText: definition.name });
      await expect(row).toContainText("needs rewrite");
      await expect(row).toContainText("400");
      await expectAccessible(page);
      await row.getByRole("link", { name: definition.name }).click();

      // The definition: why, and what do I do?
      await expect(page.getByRole("heading", { level: 1 })).toContainText(definition.name);
      await expect(page.getByText('Invalid value: "v1beta1": missing from spec.versions').first()).toBeVisible();
      await expect(page.getByRole("button", { name: "Prune v1beta1" })).toBeDisabled();
      await expect(page.getByText("v1beta1 is unproven.").first()).toBeVisible();
      await expectAccessible(page);
      await page.getByRole("button", { name: "Rewrite", exact: true }).click();
      const start = page.getByRole("dialog");
      await expect(start).toContainText("No dry run yet");
      await expectAccessible(page);
      await start.getByRole("button", { name: "Rewrite", exact: true }).click();

      // The rewrite: is it going well, and can I trust it?
      await expect(page).toHaveURL(/\/rewrites\/[0-9a-f-]+$/);
      await expect(page.getByText("All 400 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
      const stored = await definition.storedValues(cluster.etcd);
      expect(new Set([...stored.values()].map(({ apiVersion }) => apiVersion))).toEqual(new Set([`${definition.group}/v1`]));
      await expectAccessible(page);
      await page.reload();
      await expect(page.getByText("All 400 objects are stored as v1.").first()).toBeVisible();

      // The prune, behind a typed name.
      await page.getByRole("button", { name: "Prune v1beta1" }).click();
      const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog"));
      await expect(dialog).toContainText('["v1beta1","v1"]');
      await expectAccessible(page);
      const confirm = dialog.getByRole("button", { name: "Prune v1beta1" });
      await expect(confirm).toBeDisabled();
      await dialog.getByRole("textbox").fill(definition.name);
      await confirm.click();
      await expect(dialog).toBeHidden();
      await expect.poll(async () => (await definition.read()).status.storedVersions).toEqual(["v1"]);

      await page.goto(pageUrl(`/crds/${definition.name}`));
      await expect(page.getByText("current").first()).toBeVisible();
      await expect(page.getByRole("button", { name: /undo/i })).toBeVisible();
      await expectAccessible(page);

      // What it was all for.
      await definition.setVersions([{ name: "v1", storage: true }]);
      expect((await definition.read()).spec.versions).toHaveLength(1);
    });
  });
}

test("a prune can be undone on the definition's page", async ({ page, pageUrl, apiUrl, staleDefinition }) => {
  const definition = await staleDefinition(3);
  const post = (path: string, body: object) =>
    askDashboard(apiUrl(`/crds/${definition.name}/${path}`), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  await post("rewrites", {});
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await expect(page.getByRole("button", { name: "Prune v1beta1" })).toBeEnabled({ timeout: 60_000 });
  expect((await post("stored-versions/prune", { confirm: definition.name })).status).toBe(200);
  await page.getByRole("button", { name: /undo/i }).click();
  await expect.poll(async () => (await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await expect(page.getByRole("button", { name: "Prune v1beta1" })).toBeEnabled();
});
