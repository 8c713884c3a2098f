import { denyUpdates } from "#e2e/deny-updates.ts";
import { expect, expectAccessible, openRun, test } from "#e2e/fixtures.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { inTreeEngine } from "#lib/local-cluster/testing/in-tree-engine.ts";

test.use({ controllerManager: true });
test.setTimeout(400_000);

test("a rewrite is delegated to the cluster's own engine and proven, and damage from a failed one is repaired", async ({
  page,
  pageUrl,
  apiUrl,
  api,
  cluster,
  staleDefinition,
}) => {
  const engine = inTreeEngine(cluster, api);
  const [ours, theirs] = [await staleDefinition(5), await staleDefinition(3)];
  const allowUpdates = await denyUpdates(api, theirs, objectName(1));
  const foreign = `foreign-${theirs.group}`;
  await engine.learn();

  // By a click, and with nothing on offer that the engine does not have.
  await page.goto(pageUrl(`/crds/${ours.name}`));
  await page.getByRole("button", { name: "Rewrite", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(
    dialog.getByRole("group", { name: "Engine: who rewrites the objects" }).getByRole("radio", { checked: true }),
  ).toHaveAccessibleName("crdshift");
  await dialog.getByRole("radio", { name: "The cluster's own (StorageVersionMigration)" }).check();
  await expect(dialog.getByLabel("Max objects per second")).toBeHidden();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Rewrite", exact: true }).click();
  await expect(page.getByRole("region", { name: "The cluster's own engine" })).toBeVisible();
  const phase = async () => (await openRun(page, apiUrl)).delegation?.phase ?? "none yet";
  await expect.poll(phase, { timeout: 60_000 }).toMatch(/running|succeeded|failed/);
  const { id, delegation } = await openRun(page, apiUrl);
  expect(await engine.endOf(ours, delegation?.migration ?? "")).toMatchObject({ type: "Succeeded" });
  await expect(page.getByText("All 5 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByRole("region", { name: "Result" })).toContainText("Proven at resourceVersion");
  await expectAccessible(page);
  const stored = [...(await ours.storedValues(cluster.etcd)).values()].map(({ apiVersion }) => apiVersion);
  expect(stored).toEqual(Array(5).fill(`${ours.group}/v1`));

  // Another user's migration fails on one object but still removes v1beta1 from the list.
  await engine.migrate(theirs, foreign);
  expect(await engine.endOf(theirs, foreign)).toMatchObject({ type: "Failed" });
  expect((await theirs.read()).status.storedVersions).toEqual(["v1"]);
  expect((await theirs.storedValues(cluster.etcd)).get(objectName(1))?.apiVersion).toBe(`${theirs.group}/v1beta1`);
  await page.goto(pageUrl(`/crds/${theirs.name}`));
  const state = page.getByRole("region", { name: "State" });
  await expect(state).toContainText("blocked");
  await expect(state).toContainText("StorageVersionMigration didn't succeed");
  await expect(page.getByRole("region", { name: "Other engines" }).getByRole("row", { name: foreign })).toContainText(
    "is frozen by the test",
  );
  await expectAccessible(page);
  await state.getByRole("button", { name: "Repair storedVersions" }).click();
  await expect(state).toContainText("needs rewrite");
  expect((await theirs.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);

  await page.getByRole("link", { name: "Engines" }).click();
  const history = page.getByRole("region", { name: "History" });
  await expect(history.getByRole("row", { name: foreign })).toContainText("not crdshift");
  const own = history.getByRole("row", { name: delegation?.migration ?? "" });
  await expect(own).toContainText("succeeded");
  await expect(page.getByRole("row", { name: "In this cluster" })).toContainText(cluster.migrationApi ?? "its own engine");
  await expectAccessible(page);
  await own.getByRole("link", { name: "crdshift" }).click();
  await expect(page).toHaveURL(pageUrl(`/crds/${ours.name}/rewrites/${id}`));
  await allowUpdates();
});
