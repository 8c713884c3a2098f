import type { Page } from "playwright/test";
import { parse } from "yaml";
import { CONTEXT, expect, expectAccessible, startRewrite, test } from "#e2e/fixtures.ts";

const reasonOf = (page: Page) => page.getByRole("dialog", { name: "Missing permissions" });

/** The rules of the ClusterRole as the button beside it copies it. */
async function copiedRules(page: Page): Promise<object[]> {
  await reasonOf(page).getByRole("button", { name: "Copy the ClusterRole" }).click();
  await expect(reasonOf(page).getByText("Copied")).toBeVisible();
  const role: { kind: string; rules: object[] } = parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(role).toMatchObject({ kind: "ClusterRole", metadata: { name: "crdshift-widgets" } });
  return role.rules;
}

test("a disabled button names the missing permissions and works once the ClusterRole beside it is granted", async ({
  page,
  context,
  staleDefinition,
  userDashboard,
}) => {
  const { name, group, plural } = await staleDefinition(3);
  const definitions = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };
  const objects = { apiGroups: [group], resources: [plural] };
  const rules = [
    { ...definitions, verbs: ["get", "list", "watch"] },
    { ...objects, verbs: ["list"] },
  ];
  const { user, dashboard } = await userDashboard(rules);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}/crds/${name}`);

  const rewrite = page.getByRole("button", { name: "Rewrite", exact: true });
  const whyNot = page.getByRole("button", { name: "Why not? Rewrite", exact: true });
  await whyNot.focus();
  await page.keyboard.press("Enter");
  const reason = reasonOf(page);
  await expect(rewrite).toBeDisabled();
  await expect(reason).toContainText(`You don't have permission to patch ${name} (to rewrite them).`);
  await expect(reason).toContainText(`You don't have permission to get ${name} (to see what would be lost).`);
  await expect(reason).toContainText(
    "You don't have permission to patch customresourcedefinitions.apiextensions.k8s.io (to keep the rewrite's record).",
  );
  await expect(reason).not.toContainText("You don't have permission to list");
  await expect(reason).toContainText(`kubectl auth can-i patch ${name} --all-namespaces --as=${user.name}`);
  await expect(reason).not.toContainText("--context");
  await expectAccessible(page);
  const missing = await copiedRules(page);
  expect(missing).toEqual([
    { ...objects, verbs: ["patch"] },
    { ...objects, verbs: ["get"] },
    { ...definitions, resourceNames: [name], verbs: ["patch"] },
  ]);
  await page.keyboard.press("Escape");
  await expect(reason).toBeHidden();
  await expect(whyNot).toBeFocused();

  // The path of a removal says of a step that it is they who may not.
  await page.getByRole("link", { name: "Remove v1beta1," }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "No object is stored as v1beta1" })).toContainText(
    "ready, but you lack permission",
  );
  await page.goBack();

  await user.grant([...rules, ...missing]);
  // The page asks again by itself, twice a minute.
  await expect(rewrite).toBeEnabled({ timeout: 75_000 });
  await expect(whyNot).toBeHidden();
  await startRewrite(page);
  await expect(page.getByText("All 3 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });

  // Pruning takes one more permission.
  await expect(page.getByRole("button", { name: "Prune v1beta1", exact: true })).toBeDisabled();
  await page.getByRole("button", { name: "Why not? Prune v1beta1", exact: true }).click();
  await expect(reason).toContainText(
    "You don't have permission to patch customresourcedefinitions.apiextensions.k8s.io/status (to prune).",
  );
  await expect(reason).toContainText(`customresourcedefinitions.apiextensions.k8s.io/${name} --subresource=status`);
  expect(await copiedRules(page)).toEqual([
    { ...definitions, resources: ["customresourcedefinitions/status"], resourceNames: [name], verbs: ["patch"] },
  ]);
});
