import type { Run } from "#lib/contract/run.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";
import { expectAccessible } from "./accessibility.ts";
import { CONTEXT, expect, startRewrite, test } from "./fixtures.ts";

const PROTECTED = { CRDSHIFT_PROTECTED: "*.example.com" };
const REASON = "v1beta1 goes with the next upgrade.";

test("a protected definition is changed once its name is typed and a reason given, which stays in its history", async ({
  page,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const { name } = await staleDefinition(20);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, ...PROTECTED });
  const address = `${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}/crds/${name}`;
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(address);
  await expect(page.getByText("Protected by *.example.com: a change needs a reason.")).toBeVisible();

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

  // Whoever would rather not is where they were, and nothing has begun.
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await expect(form).toContainText(`${name} is protected by the pattern *.example.com.`);
  await expect(form.getByRole("button", { name: "Rewrite", exact: true })).toBeFocused();

  await form.getByRole("button", { name: "Rewrite", exact: true }).click();
  const goOn = prompt.getByRole("button", { name: "Go on" });
  await prompt.getByLabel("Type the definition's name to confirm").fill(name);
  await prompt.getByLabel("Reason").fill("  too few ");
  await expect(prompt).toContainText("7 of 10 to 500 characters");
  await expect(goOn).toBeDisabled();
  await prompt.getByLabel("Reason").fill("x".repeat(501));
  await expect(goOn).toBeDisabled();
  await prompt.getByLabel("Reason").fill(REASON);
  await goOn.click();
  await expect(page.getByText("All 20 objects are stored as v1.").first()).toBeVisible({ timeout: 30_000 });

  await expect.poll(() => dashboard.output()).toContain('"action":"succeeded"');
  await page.goto(address);
  const row = page.getByRole("region", { name: "History" }).getByRole("row").filter({ hasText: "reason given" });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText(`Reason given for a change of a protected definition: ${REASON}`);
});

test("Escape asks for nothing more than the prompt to go, wherever the focus is", async ({
  page,
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const { name } = await staleDefinition(1);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, ...PROTECTED });
  await page.goto(`${dashboard.url}/clusters/${encodeURIComponent(CONTEXT)}/crds/${name}`);
  const prompt = page.getByRole("alertdialog", { name: `${name} is protected` });
  await startRewrite(page);
  // The edge of the window: neither of the two dialogs is closed by it, nor keeps the focus.
  await page.mouse.click(2, 2);
  await expect(prompt).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(prompt).toBeHidden();
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("a script is refused without the headers, and nothing holds up who looks, tries or stops", async ({
  cluster,
  ownDashboard,
  staleDefinition,
}) => {
  const { name } = await staleDefinition(40);
  const dashboard = await ownDashboard({ KUBECONFIG: cluster.kubeconfig, ...PROTECTED });
  const given = { "x-crdshift-confirm": name, "x-crdshift-reason": encodeURIComponent(REASON) };
  const send = (method: string, path: string, body: object = {}, headers: Record<string, string> = {}) =>
    askDashboard(`${dashboard.url}/api/clusters/${encodeURIComponent(CONTEXT)}/crds/${name}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
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

  const started = await send("POST", "/rewrites", { maxPerSecond: 1 }, given);
  expect(started.status).toBe(202);
  const { id } = (await started.json()) as Pick<Run, "id">;
  expect((await send("POST", `/rewrites/${id}/pause`)).status).toBe(200);
  expect((await send("PATCH", `/rewrites/${id}`, { maxPerSecond: 2 })).status).toBe(200);
  const resumed = await send("POST", `/rewrites/${id}/resume`);
  expect(resumed.status).toBe(409);
  expect(await resumed.json()).toMatchObject(refusal);
  expect((await send("POST", `/rewrites/${id}/resume`, {}, given)).status).toBe(200);
  expect((await send("POST", `/rewrites/${id}/cancel`)).status).toBe(200);
});
