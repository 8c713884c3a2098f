import { test as base, CONTEXT, expect, expectAccessible, startRewrite } from "#e2e/fixtures.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startHoldingWebhook } from "#lib/local-cluster/testing/holding-webhook.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import type { Dashboard } from "#lib/server/testing/start-dashboard.ts";

interface Protected {
  definition: SampleDefinition;
  dashboard: Dashboard;
  /** Of the definition's page, and below /api of its routes. */
  path: string;
}

const test = base.extend<{
  /** A definition with so many stale objects, and a dashboard that protects it. */
  protectedDefinition(count: number): Promise<Protected>;
}>({
  async protectedDefinition({ cluster, ownDashboard, staleDefinition }, use) {
    await use(async (count) => {
      const definition = await staleDefinition(count);
      const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_PROTECTED: "*.example.com" });
      return { definition, dashboard, path: `/clusters/${encodeURIComponent(CONTEXT)}/crds/${definition.name}` };
    });
  },
});

const REASON = "v1beta1 goes with the next upgrade.";

test("changing a protected definition takes its name and a reason, which stays in its history", async ({ page, protectedDefinition }) => {
  const { definition, dashboard, path } = await protectedDefinition(20);
  const { name } = definition;
  const address = `${dashboard.url}${path}`;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address);
  await expect(page.getByText("Protected by *.example.com: changes need a reason.")).toBeVisible();

  const prompt = page.getByRole("alertdialog", { name: `${name} is protected` });
  const form = page.getByRole("dialog");
  await startRewrite(page);
  await expect(prompt).toContainText("*.example.com");
  await expect(prompt.getByLabel("Reason")).toBeFocused();
  const box = await prompt.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 844).toBe(true);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }

  // Declining returns to the previous state: nothing has started or failed.
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await expect(form.getByRole("button", { name: "Rewrite", exact: true })).toBeFocused();
  await expect(form).not.toContainText("is protected");

  await form.getByRole("button", { name: "Rewrite", exact: true }).click();
  const goOn = prompt.getByRole("button", { name: "Rewrite", exact: true });
  await prompt.getByLabel("Reason").fill("  too few ");
  await expect(prompt).toContainText("7 characters (10 to 500 required)");
  await expect(prompt).toContainText("The reason is too short: use at least 10 characters.");
  await expect(goOn).toBeDisabled();
  await prompt.getByLabel("Reason").fill("x".repeat(501));
  await expect(prompt).toContainText("The reason is too long: use at most 500 characters.");
  await prompt.getByLabel("Reason").fill(REASON);
  await prompt.getByLabel("Type the definition's name to confirm").fill("widgets");
  await expect(prompt).toContainText("The name doesn't match.");
  await expect(goOn).toBeDisabled();
  await prompt.getByLabel("Type the definition's name to confirm").fill(name);
  await goOn.click();
  await expect(page.getByText("All 20 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });

  // What was asked for and why stays with the run.
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText(REASON);
  await page.getByRole("link", { name: "Report" }).click();
  await expect(page.getByRole("region", { name: "Run", exact: true })).toContainText(REASON);

  // Where the name was typed already only the reason is asked for.
  await page.goto(address);
  await page.getByRole("button", { name: "Prune v1beta1", exact: true }).click();
  const prune = page.getByRole("alertdialog", { name: "Prune v1beta1?" });
  await prune.getByLabel("Type the definition's name to confirm").fill(name);
  await prune.getByRole("button", { name: "Prune v1beta1", exact: true }).click();
  await expect(prompt.getByLabel("Reason")).toBeFocused();
  await expect(prompt.getByLabel("Type the definition's name to confirm")).toHaveCount(0);
  await prompt.getByRole("button", { name: "Cancel" }).click();
  await expect(prompt).toBeHidden();
  await expect(prune.getByLabel("Type the definition's name to confirm")).toHaveValue(name);
  await expect(prune).not.toContainText("is protected");
  await prune.getByRole("button", { name: "Prune v1beta1", exact: true }).click();
  await prompt.getByLabel("Reason").fill("Proven, and v1beta1 is to go.");
  await prompt.getByRole("button", { name: "Prune v1beta1", exact: true }).click();
  await expect(prune).toBeHidden();

  // A change without a record says how long its reason is kept; giving it up shows nothing and waits for nothing.
  await page.route(`**/api${path}`, () => undefined);
  await page.getByRole("button", { name: "Undo prune" }).click();
  await expect(prompt).toContainText("Events, kept for an hour by default");
  await prompt.getByRole("button", { name: "Cancel" }).click();
  await expect(prompt).toBeHidden();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Undo prune" })).toBeFocused();
  await page.unroute(`**/api${path}`);

  await expect.poll(() => dashboard.output()).toContain('"action":"justified"');
  const rows = page.getByRole("region", { name: "History" }).getByRole("row");
  const reasons = rows.filter({ hasText: "reason given" });
  // The second one's Event may still be on its way.
  await expect(async () => {
    await page.reload();
    await expect(reasons).toHaveCount(2, { timeout: 10_000 });
  }).toPass({ timeout: 90_000 });
  await expect(reasons.last()).toContainText(`Reason for changing a protected definition: ${REASON}`);
  // Newest first: a reason stands below what it was given for.
  const words = await rows.allInnerTexts();
  const at = (text: string) => words.findIndex((row) => row.includes(text));
  expect(at("pruned")).toBeLessThan(at("Proven, and v1beta1 is to go."));
  expect(at("rewrite started")).toBeLessThan(at(REASON));
});

test("a dialog stays open while its request is in flight, whatever key is pressed", async ({ page, protectedDefinition }) => {
  const { definition, dashboard, path } = await protectedDefinition(1);
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route("**/rewrites", async (route) => {
    if (route.request().method() === "POST") await asked;
    await route.continue();
  });
  await page.goto(`${dashboard.url}${path}`);
  await startRewrite(page);
  await expect(page.getByRole("button", { name: "Starting…" })).toBeVisible();
  await page.mouse.click(2, 2);
  await page.keyboard.press("Escape");
  answer();
  const prompt = page.getByRole("alertdialog", { name: `${definition.name} is protected` });
  await expect(prompt).toBeVisible();
  await expect(page.getByText("Starting…")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Rewrite", exact: true })).toBeEnabled();
});

test("Escape only closes the prompt, wherever the focus is", async ({ page, protectedDefinition }) => {
  const { definition, dashboard, path } = await protectedDefinition(1);
  await page.goto(`${dashboard.url}${path}`);
  const prompt = page.getByRole("alertdialog", { name: `${definition.name} is protected` });
  await startRewrite(page);
  // From then on, a click outside closes no dialog.
  await expect(page.getByText("Starting…")).toBeVisible();
  // The edge of the window: neither of the two dialogs is closed by it, nor keeps the focus.
  await page.mouse.click(2, 2);
  await expect(prompt).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("a script needs the headers; viewing, dry runs and stopping need nothing", async ({ api, protectedDefinition }) => {
  const { definition, dashboard, path: own } = await protectedDefinition(40);
  const { name } = definition;
  const given = { "x-crdshift-confirm": name, "x-crdshift-reason": encodeURIComponent(REASON) };
  const send = (method: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    askDashboard(`${dashboard.url}/api${own}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(method !== "GET" && { body: JSON.stringify(body) }),
    });
  const refusal = { error: { code: "precondition_failed", details: { protection: { pattern: "*.example.com", crd: name } } } };

  const changes: [method: string, path: string, body?: object][] = [
    ["POST", "/rewrites", { maxPerSecond: 1 }],
    ["POST", "/rewrites/none/resume"],
    ["POST", "/stored-versions/prune", { confirm: name }],
    ["POST", "/stored-versions/restore", { versions: ["v1beta1"] }],
    ["POST", "/managed-fields/clean", { versions: ["v1beta1"] }],
    ["POST", "/conversion/drop"],
    ["POST", "/conversion/restore"],
    ["PATCH", "/versions/v1beta1", { deprecated: true }],
    ["POST", "/versions/v1beta1/remove", { confirm: "v1beta1" }],
    ["POST", "/versions/v1beta1/restore"],
  ];
  for (const [method, path, body] of changes) {
    const response = await send(method, path, body);
    expect([path, response.status]).toEqual([path, 409]);
    expect(await response.json()).toMatchObject(refusal);
  }
  expect((await send("POST", "/versions/v1beta1/preview", { deprecated: true })).status).toBe(200);
  expect((await send("POST", "/managed-fields/clean", { versions: ["v1beta1"], dryRun: true })).status).toBe(200);

  const webhook = await startHoldingWebhook(api, definition);
  const started = await send("POST", "/rewrites", { maxPerSecond: 20 }, given);
  expect(started.status).toBe(202);
  const { id } = (await started.json()) as Pick<Run, "id">;
  const run = async () => (await (await send("GET", `/rewrites/${id}`)).json()) as Run;
  await expect.poll(() => webhook.held(), { timeout: 60_000 }).toBeGreaterThan(0);
  // Until it is in force, a pause that is taken back changes nothing; then, to go on changes objects again.
  expect((await send("POST", `/rewrites/${id}/pause`)).status).toBe(200);
  expect(await run()).toMatchObject({ phase: "rewriting", command: "pause" });
  expect((await send("POST", `/rewrites/${id}/resume`)).status).toBe(200);
  expect((await send("POST", `/rewrites/${id}/pause`)).status).toBe(200);
  expect((await send("PATCH", `/rewrites/${id}`, { maxPerSecond: 2 })).status).toBe(200);
  webhook.release();
  await expect.poll(async () => (await run()).phase).toBe("paused");
  const resumed = await send("POST", `/rewrites/${id}/resume`);
  expect(resumed.status).toBe(409);
  expect(await resumed.json()).toMatchObject(refusal);
  const why = { ...given, "x-crdshift-reason": encodeURIComponent("The night is over.") };
  expect((await send("POST", `/rewrites/${id}/resume`, {}, why)).status).toBe(200);
  expect((await run()).reasons.map(({ text }) => text)).toEqual([REASON, "The night is over."]);
  expect((await send("POST", `/rewrites/${id}/cancel`)).status).toBe(200);
  await webhook.remove();
});
