import { expect, expectAccessible, test } from "#e2e/fixtures.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };

test("a page explains its conditions, name conflicts, object names, and what blocks a deletion", async ({ page, pageUrl, api }) => {
  // As long as names may be.
  const group = `${"g".repeat(63)}.${"h".repeat(63)}.example.com`;
  const plural = "r".repeat(63);
  const define = (names: { plural: string; kind: string; shortNames?: string[] }) =>
    api.create(DEFINITIONS, {
      ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: `${names.plural}.${group}` } },
      spec: {
        group,
        names,
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema, subresources: { status: {}, scale } }],
      },
    });
  const [holder, rival] = [`holders.${group}`, `${plural}.${group}`];
  const accepted = async (name: string, status: string) =>
    expect.poll(async () => JSON.stringify((await api.get(`${DEFINITIONS}/${name}`)).status)).toContain(`"reason":"${status}"`);
  await define({ plural: "holders", kind: "Holder", shortNames: ["ho"] });
  await accepted(holder, "InitialNamesAccepted");
  await define({ plural, kind: "Holder", shortNames: ["s".repeat(63)] });
  await accepted(rival, "ListKindConflict");

  const conditions = page.getByRole("region", { name: "Conditions", exact: true });
  const names = page.getByRole("region", { name: "Names and subresources" });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(pageUrl(`/crds/${rival}`));
  await expect(conditions.getByRole("row", { name: /error: Established/ })).toContainText("Its objects are not served");
  await expect(conditions.getByRole("list", { name: "Taken names" })).toContainText(`kind Holder is the kind of ${holder}`);
  await expect(names).toContainText("▲ accepted: none");
  for (const section of [conditions, names]) {
    expect(await section.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectAccessible(page);

  await page.setViewportSize({ width: 1440, height: 900 });
  await conditions.getByRole("link", { name: holder }).first().click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(holder);
  await expect(conditions.getByRole("row", { name: /OK: NamesAccepted/ })).toContainText("No other definition");
  await expect(names.getByRole("row", { name: "v1" })).toContainText(".spec.replicas");

  const box = { apiVersion: `${group}/v1`, kind: "Holder", metadata: { name: "one", finalizers: ["example.com/hold"] } };
  await api.create(`/apis/${group}/v1/namespaces/default/holders`, box);
  await api.delete(`${DEFINITIONS}/${holder}`);
  const holders = page.getByRole("region", { name: "Waiting for finalizers" });
  await expect(holders).toContainText("example.com/hold holds 1 object:default/one");
  await expect(conditions.getByRole("row", { name: /warning: Terminating/ })).toContainText("Make sure the controllers");
  await expectAccessible(page);
  await holders.getByRole("link", { name: "default/one" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("one");

  await api.mergePatch(`/apis/${group}/v1/namespaces/default/holders/one`, { metadata: { finalizers: null } });
  await api.delete(`${DEFINITIONS}/${rival}`);
});
