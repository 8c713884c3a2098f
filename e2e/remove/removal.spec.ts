import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright/test";
import { expect, expectAccessible, test } from "#e2e/fixtures.ts";
import { startConversionWebhook } from "#lib/local-cluster/demo/conversion-webhook.ts";
import { cronTabs } from "#lib/local-cluster/demo/converted-crds.ts";
import { crdsPath, createDemoCrd } from "#lib/local-cluster/demo/create-demo-crd.ts";
import { crdName } from "#lib/local-cluster/demo/demo-crd.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

interface DefinitionWithConversion {
  metadata: { name: string };
  spec: { versions: { name: string }[]; conversion: { strategy: string } };
  status: { storedVersions: string[] };
}

const name = crdName(cronTabs);
const OBJECTS = 40;

/** The demo's cron tabs with fewer objects, and the webhook that converts them. */
const withCronTabs = test.extend<{ cronTabsPath: string }>({
  async cronTabsPath({ api }, use) {
    const directory = await mkdtemp(join(tmpdir(), "crdshift-e2e-"));
    const webhook = await startConversionWebhook(directory);
    const namespaces = [...new Set(cronTabs.objects.map(({ namespace }) => namespace ?? ""))];
    for (const namespace of namespaces) await api.create("/api/v1/namespaces", { metadata: { name: namespace } });
    const signal = AbortSignal.timeout(60_000);
    await createDemoCrd(
      { ...cronTabs, objects: cronTabs.objects.slice(0, OBJECTS) },
      { client: api, signal, conversion: webhook.conversion },
    );
    await use(`${crdsPath}/${name}`);
    await api.delete(`${crdsPath}/${name}`);
    webhook.close();
    await rm(directory, { recursive: true });
  },
});

const step = (page: Page, title: string) => page.getByRole("list", { name: "Steps" }).getByRole("listitem").filter({ hasText: title });

withCronTabs(
  "a version goes from the first look to the dropped webhook by clicks, and comes back at each step",
  async ({ page, pageUrl, apiUrl, api, cronTabsPath }) => {
    const read = () => api.get<DefinitionWithConversion>(cronTabsPath);
    const clients = step(page, "Clients are warned");
    const serving = step(page, "v1beta1 is no longer served");
    const storage = step(page, "No object is stored as v1beta1");
    const spec = step(page, "v1beta1 is out of spec.versions");
    const conversion = step(page, "The conversion webhook is gone");
    const dialog = page.getByRole("dialog").or(page.getByRole("alertdialog"));
    const confirm = (label: string) => dialog.getByRole("button", { name: label, exact: true }).click();
    const isCurrent = (item: ReturnType<typeof step>) => expect(item).toHaveAttribute("aria-current", "step");

    await page.goto(pageUrl(`/crds/${name}`));
    await page.getByRole("link", { name: /^Remove v1beta1/ }).click();
    await expect(page).toHaveURL(/\/versions\/v1beta1\/removal$/);

    // 1. It is deprecated already; that can be taken back.
    await isCurrent(storage);
    await clients.getByText("Clients are warned").click();
    await expect(clients.getByRole("region", { name: "Requests at v1beta1" })).toBeVisible();
    await expectAccessible(page);
    await clients.getByRole("button", { name: "Undeprecate v1beta1" }).click();
    await confirm("Undeprecate");
    await isCurrent(clients);
    await clients.getByRole("button", { name: "Deprecate v1beta1" }).click();
    await expect(dialog).toContainText("is deprecated; use stable.example.com/v1 CronTab");
    await confirm("Deprecate");
    await isCurrent(storage);

    // An unsafe order is refused with the same reason by the page and the HTTP surface.
    await spec.getByText("v1beta1 is out of spec.versions").click();
    await expect(spec).toContainText("v1beta1 is still served, so clients may depend on it.");
    await expect(spec.getByRole("button", { name: "Remove v1beta1" })).toBeDisabled();
    const refused = await post(apiUrl(`/crds/${name}/versions/v1beta1/remove`), { confirm: "v1beta1" });
    expect([refused.status, ((await refused.json()) as { error: { message: string } }).error.message]).toEqual([
      409,
      "v1beta1 is still served, so clients may depend on it.",
    ]);
    await conversion.getByText("The conversion webhook is gone").click();
    await expect(conversion).toContainText("v1beta1 and v1 are in spec.versions, and the webhook converts between them.");
    expect((await post(apiUrl(`/crds/${name}/conversion/drop`), {})).status).toBe(409);
    await spec.getByRole("link", { name: "Go to step 2" }).click();

    // 2. Not served, and served again with one click: what a rewrite loses can't be seen meanwhile.
    await serving.getByRole("button", { name: "Stop serving v1beta1" }).click();
    await expect(dialog).toHaveAccessibleName("Stop serving v1beta1?");
    await expect(dialog).toContainText("Every watch on crontabs closes");
    await expectAccessible(page);
    await confirm("Stop serving");
    await expect(serving).toContainText("Requests get a 404.");
    await isCurrent(storage);
    await storage.getByRole("button", { name: "Serve v1beta1 again" }).click();
    await expect(serving).not.toContainText("Requests get a 404.");

    // 3. Rewritten while what it loses can be seen; the path is left for that, and come back to.
    await storage.getByRole("button", { name: "Rewrite", exact: true }).click();
    await confirm("Rewrite");
    await expect(page.getByText(`All ${OBJECTS} objects are stored as v1.`).first()).toBeVisible({ timeout: 60_000 });
    await page.goto(pageUrl(`/crds/${name}/versions/v1beta1/removal`));
    const prune = async () => {
      await storage.getByRole("button", { name: "Prune v1beta1" }).click();
      await dialog.getByRole("textbox").fill(name);
      await confirm("Prune v1beta1");
    };
    await prune();
    await isCurrent(serving);
    await expect(storage).toContainText("status.storedVersions is [v1].");
    await storage.getByText("No object is stored as v1beta1").click();
    await storage.getByRole("button", { name: "Undo prune" }).click();
    await isCurrent(storage);
    await prune();
    await expect.poll(async () => (await read()).status.storedVersions).toEqual(["v1"]);

    await serving.getByRole("button", { name: "Stop serving v1beta1" }).click();
    await confirm("Stop serving");

    // 4. Out of the spec, back, and out again.
    await isCurrent(spec);
    const remove = async () => {
      await spec.getByRole("button", { name: "Remove v1beta1" }).click();
      await dialog.getByRole("textbox").fill("v1beta1");
      await expectAccessible(page);
      await confirm("Remove v1beta1");
      // Their managedFields still name it, which has to be accepted.
      await expect(dialog).toContainText("server-side apply fails for objects whose managedFields name it, such as");
      await dialog.getByLabel("Remove anyway").check();
      await confirm("Remove v1beta1");
      await isCurrent(conversion);
    };
    const saved = await page.request.get(
      new URL((await spec.getByRole("link", { name: "Save v1beta1 as YAML" }).getAttribute("href")) ?? "", page.url()).href,
    );
    expect(await saved.text()).toContain("name: v1beta1");
    await remove();
    await spec.getByText("v1beta1 is out of spec.versions").click();
    await spec.getByRole("button", { name: "Put v1beta1 back" }).click();
    await isCurrent(spec);
    await remove();
    expect((await read()).spec.versions.map((version) => version.name)).toEqual(["v1"]);

    // 5. Without the webhook, with it, and without it.
    const drop = async () => {
      await conversion.getByRole("button", { name: "Drop the webhook" }).click();
      await expectAccessible(page);
      await confirm("Drop the webhook");
      await expect(page.getByText(/^Done: v1beta1 is gone/)).toBeVisible();
    };
    await drop();
    await conversion.getByText("The conversion webhook is gone").click();
    await conversion.getByRole("button", { name: "Put the webhook back" }).click();
    await isCurrent(conversion);
    expect((await read()).spec.conversion.strategy).toBe("Webhook");
    await drop();
    expect((await read()).spec.conversion).toEqual({ strategy: "None" });
    // Back without its webhook it would drop fields.
    await spec.getByText("v1beta1 is out of spec.versions").click();
    await expect(spec.getByRole("button", { name: "Put v1beta1 back" })).toBeDisabled();
    await expect(spec).toContainText("Put the webhook back first.");
    expect((await post(apiUrl(`/crds/${name}/versions/v1beta1/restore`), {})).status).toBe(409);
    await expectAccessible(page);
    const { items } = await api.list(`/apis/${cronTabs.group}/v1/${cronTabs.plural}`);
    expect(items).toHaveLength(OBJECTS);
  },
);

test("a version that never existed has no removal path, and the page lists the existing ones", async ({
  page,
  pageUrl,
  staleDefinition,
}) => {
  const definition = await staleDefinition(1);
  await page.goto(pageUrl(`/crds/${definition.name}/versions/v9/removal`));
  await expect(page.getByText("v9 is not in spec.versions")).toBeVisible();
  await expectAccessible(page);
});

function post(url: string, body: object): Promise<Response> {
  return askDashboard(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}
