import { CONTEXT, expect, expectAccessible, startRewrite, test } from "#e2e/fixtures.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";

// Without `chosen` (state-panel.tsx) the dialog of the second rewrite does not verify every object.
test("a user sees that etcd contradicts the definition, repairs the list, and rewrites until it doesn't", async ({
  page,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const definition = await staleDefinition(20);
  const stale = (await definition.storedValues(cluster.etcd)).get(objectName(4))?.text ?? "";
  const { etcd } = cluster;
  const files = { CRDSHIFT_ETCD_CACERT: etcd.certFile, CRDSHIFT_ETCD_CERT: etcd.certFile, CRDSHIFT_ETCD_KEY: etcd.keyFile };
  const { url } = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_ETCD_ENDPOINTS: etcd.url, ...files });
  const definitionUrl = `${url}/clusters/${encodeURIComponent(CONTEXT)}/crds/${definition.name}`;
  const prune = async () => {
    await page.getByRole("button", { name: "Prune v1beta1" }).click();
    await page.getByRole("alertdialog").getByRole("textbox").fill(definition.name);
    await page.getByRole("alertdialog").getByRole("button", { name: "Prune v1beta1" }).click();
    await expect.poll(async () => (await definition.read()).status.storedVersions).toEqual(["v1"]);
  };
  const versions = page.getByRole("table", { name: "Versions" });
  await page.goto(definitionUrl);
  await expect(versions.getByRole("row", { name: /v1beta1/ })).toContainText("20✓ read from etcd");
  await startRewrite(page);
  await expect(page.getByText("All 20 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await prune();

  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(4)}`, stale);
  await page.goto(definitionUrl);
  const state = page.getByRole("region", { name: "State" });
  await expect(state).toContainText("etcd holds 1 object stored as v1beta1, which status.storedVersions doesn't list");
  await expect(versions.getByRole("row", { name: /v1beta1/ })).toContainText("1✓ read from etcd");
  await expect(page.getByText(/read from etcd \d+ s ago/)).toBeVisible();
  await expect(page.getByText("etcd contradicts this proof")).toBeVisible();
  await expectAccessible(page);
  await state.getByRole("button", { name: "Repair storedVersions" }).click();
  await expect(state).toContainText("but a proof says there are none");
  await expect(state.getByRole("button", { name: "Prune v1beta1" })).toBeDisabled();

  await state.getByRole("button", { name: "Rewrite", exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("checkbox", { name: "Verify every object" })).toBeChecked();
  await page.getByRole("dialog").getByRole("button", { name: "Rewrite", exact: true }).click();
  await expect(page.getByText("All 20 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await prune();
  const stored = await definition.storedValues(cluster.etcd);
  expect(new Set([...stored.values()].map(({ apiVersion }) => apiVersion))).toEqual(new Set([`${definition.group}/v1`]));
});
