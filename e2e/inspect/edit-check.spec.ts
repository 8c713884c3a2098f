import { expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";

const names = { properties: { names: { type: "array", items: { type: "string" } } } };

test("the next edit is checked on request: accepted, refused with the API server's causes, or not allowed to try", async ({
  page,
  pageUrl,
  cluster,
  definitionWith,
  userDashboard,
}) => {
  const definition = await definitionWith({ count: 1, v1: names, spec: () => ({ names: ["a"] }) });
  await page.goto(pageUrl(`/crds/${definition.name}`));
  const section = page.getByRole("region", { name: "Versions", exact: true });
  await expect(section.getByRole("button", { name: "Check the next edit" })).toBeEnabled();
  await expect(section).not.toContainText("edit of the schema");
  await section.getByRole("button", { name: "Check the next edit" }).click();
  await expect(section).toContainText("The API server would accept an edit of the schema.");
  await expect(section).toContainText(/checked \d+ s ago, v1\.\d+/);

  const [entry] = await readEtcd(cluster.etcd, `/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`);
  const text = Buffer.from(entry?.value ?? []).toString("utf8");
  const rules = '"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x != y || x == y))"}]';
  await putIntoEtcd(cluster.etcd, entry?.key ?? "", text.replace('"type":"array"', `"type":"array",${rules}`));
  await section.getByRole("button", { name: "Check again" }).click();
  await expect(section).toContainText("The API server would refuse an edit of the schema: its CEL rules exceed the cost budget.");
  await expect(section.getByRole("list", { name: "Causes" })).toContainText("v1: Forbidden: estimated rule cost exceeds budget");
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);

  const { dashboard } = await userDashboard([
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] },
  ]);
  await page.goto(`${dashboard.url}${new URL(page.url()).pathname}`);
  await expect(section.getByRole("button", { name: "Check the next edit", exact: true })).toBeDisabled();
});
