import { expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

test("flags can be changed with clicks, after a preview of the request and its effects", async ({
  page,
  pageUrl,
  api,
  staleDefinition,
}) => {
  const definition = await staleDefinition(1);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await page.goto(pageUrl(`/crds/${definition.name}`));
  const versions = page.getByRole("region", { name: "Versions", exact: true });
  const dialog = page.getByRole("dialog");
  const open = (version: string) => versions.getByRole("button", { name: `Change ${version}`, exact: true }).click();

  await open("v1beta1");
  const confirm = dialog.getByRole("button", { name: "Change v1beta1" });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel("Deprecated").check();
  await expect(dialog).toContainText(`“${definition.group}/v1beta1 Widget is deprecated; use ${definition.group}/v1 Widget”`);
  await dialog.getByLabel("Warning text").fill("gone by summer");
  await expect(dialog.getByRole("region", { name: "Effects" })).toContainText("gone by summer");
  await expect(dialog.getByRole("region", { name: "The patch" })).toContainText('"path": "/spec/versions/1/deprecationWarning"');
  await expectAccessible(page);
  await confirm.click();
  await expect(dialog).toBeHidden();
  await expect(versions.getByRole("row", { name: /v1beta1/ })).toContainText("“gone by summer”");

  // What would leave the definition worse off is refused before it is sent.
  await open("v1");
  await dialog.getByLabel("Served").uncheck();
  await expect(dialog.getByRole("alert")).toContainText("no object can be rewritten while it is not served");
  await expect(dialog.getByRole("button", { name: "Change v1", exact: true })).toBeDisabled();
  await page.keyboard.press("Escape");

  // Another user was faster: nothing is written, and the dialog shows the current state.
  await open("v1beta1");
  await dialog.getByLabel("Served").uncheck();
  await expect(confirm).toBeEnabled();
  await api.mergePatch(path, { spec: { conversion: { strategy: "None" }, names: { shortNames: ["wi"] } } });
  await confirm.click();
  await expect(dialog.getByRole("alert")).toContainText("The spec has changed since you looked at it");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await open("v1beta1");
  await dialog.getByLabel("Served").uncheck();
  await confirm.click();
  await expect(versions.getByRole("row", { name: /v1beta1/ })).toContainText("not served");
});

test("without conversion, storage moves only after a preview of the losses", async ({ page, pageUrl, apiUrl, api }) => {
  const definition = await createDefinition(api, [
    { name: "v1", properties: { size: { type: "integer" } } },
    { name: "v1beta1", storage: true },
  ]);
  try {
    await definition.createObjects("v1beta1", 3, (index) => ({ size: index, ...(index < 2 && { note: "precious" }) }));
    await page.goto(pageUrl(`/crds/${definition.name}`));
    const versions = page.getByRole("region", { name: "Versions", exact: true });
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: "Change v1", exact: true });
    const losses = dialog.getByRole("region", { name: "What objects would lose" });
    await versions.getByRole("button", { name: "Change v1", exact: true }).click();
    await expect(losses).toBeHidden();
    await dialog.getByLabel("Storage version").check();
    await expect(losses).toContainText("3 of 3 objects checked");
    await expect(losses.getByRole("listitem")).toHaveText(/dropped.*spec\.note.*2 objects/);
    await expect(dialog.getByRole("region", { name: "The patch" })).toBeVisible();
    await expect(confirm).toBeDisabled();
    await expectAccessible(page);

    const refused = await askDashboard(apiUrl(`/crds/${definition.name}/versions/v1`), {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ storage: true }),
    });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      error: { code: "precondition_failed", details: { losses: [{ kind: "dropped", path: "spec.note", objects: 2 }] } },
    });

    await losses.getByLabel("Make it the storage version anyway").check();
    await confirm.click();
    await expect(dialog).toBeHidden();
    const row = versions.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "v1", exact: true }) });
    await expect(row).toContainText("◆ storage");
  } finally {
    await definition.remove();
  }
});
