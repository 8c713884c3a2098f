import { expect, test } from "#e2e/fixtures.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

test("everything from the fleet to an open prune dialog works by keyboard, and Escape changes nothing", async ({
  page,
  pageUrl,
  apiUrl,
  staleDefinition,
}) => {
  const definition = await staleDefinition(2);
  await page.goto(pageUrl());
  await expect(page.getByRole("link", { name: definition.name })).toBeVisible();

  // The search box is a key away, and takes the API server's own error.
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.insertText(
    `The CustomResourceDefinition "${definition.name}" is invalid: status.storedVersions[0]: Invalid value: "v1beta1": missing from spec.versions`,
  );
  const rows = page.getByRole("table", { name: "Definitions" }).getByRole("link");
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/[?&]q=/);
  await rows.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(pageUrl(`/crds/${definition.name}`));

  const rewrite = page.getByRole("button", { name: "Rewrite", exact: true });
  // A button takes no focus before the page knows that it may be pressed.
  await expect(rewrite).toBeEnabled();
  await rewrite.focus();
  await page.keyboard.press("Enter");
  // What is known of the rewrite first; Escape leaves it.
  const start = page.getByRole("dialog");
  await expect(start).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(start).toBeHidden();
  await expect(rewrite).toBeFocused();
  await page.keyboard.press("Enter");
  const confirm = start.getByRole("button", { name: "Rewrite", exact: true });
  await expect(confirm).toBeEnabled();
  await confirm.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/rewrites\//);
  const prune = page.getByRole("button", { name: "Prune v1beta1" });
  await expect(prune).toBeEnabled({ timeout: 60_000 });
  await prune.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("alertdialog");
  await expect(dialog.getByRole("textbox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(prune).toBeFocused();
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect((await (await askDashboard(apiUrl(`/crds/${definition.name}`))).json()) as object).toMatchObject({ state: "prunable" });
});
