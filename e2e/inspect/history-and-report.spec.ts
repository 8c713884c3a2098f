import { expect, expectAccessible, startRewrite, test } from "#e2e/fixtures.ts";
import { reportSchema } from "#lib/contract/rewrite/report.ts";
import { askDashboard } from "#lib/server/testing/ask-dashboard.ts";

test("a definition's history lists its actions, and its report shows the proof, also in print", async ({
  page,
  pageUrl,
  dashboard,
  staleDefinition,
}) => {
  const definition = await staleDefinition(20);
  await page.goto(pageUrl(`/crds/${definition.name}`));
  await startRewrite(page);
  await expect(page.getByText("All 20 objects are stored as v1.").first()).toBeVisible({ timeout: 60_000 });
  await expect.poll(() => dashboard.output()).toContain('"action":"succeeded"');

  await page.getByRole("link", { name: "Report", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Report on the rewrite of widgets to v1");
  const verdict = page.getByRole("region", { name: "Verdict" });
  await expect(verdict).toContainText(/Proven.*All 20 objects are stored as v1: proven .* UTC, verified at resourceVersion \d+\./s);
  await expect(page.getByRole("region", { name: "Scope" })).toContainText("20 in the verified list");
  await expect(page.getByRole("list", { name: "Patches sent" }).getByRole("listitem").first()).toContainText(
    `20 to rewritePATCH /apis/${definition.group}/v1/namespaces/{namespace}/widgets/{name}?fieldManager=crdshift`,
  );
  await expectAccessible(page);

  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.getByRole("banner")).toBeHidden();
  await expect(page.getByRole("navigation", { name: "Breadcrumb" })).toBeHidden();
  await expect(page.getByRole("button", { name: "Print" })).toBeHidden();
  await expect(verdict).toBeVisible();
  await expect(page.locator("body")).toHaveCSS("background-color", "rgb(255, 255, 255)");
  await expect(verdict.getByText("Proven", { exact: true })).toHaveCSS("color", "rgb(0, 0, 0)");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });

  const path = await page.getByRole("link", { name: "View JSON" }).getAttribute("href");
  const report = reportSchema.parse(await (await askDashboard(new URL(path ?? "", dashboard.url))).json());
  expect(report).toMatchObject({ format: 1, verdict: { state: "proven", proof: { objects: 20 } } });

  await page.goto(pageUrl(`/crds/${definition.name}`));
  const history = page.getByRole("region", { name: "History" });
  const row = (words: string) => history.getByRole("row").filter({ hasText: words });
  await expect(row("rewrite succeeded")).toContainText("all 20 objects are stored as v1");
  await expect(row("rewrite succeeded")).toContainText("annotation, event");
  await expect(row("rewrite started")).toContainText("annotation, event");
  await expect(row("proof")).toContainText("annotation");
  await expect(history).toContainText("2 Events since");
  await expectAccessible(page);
});

test("entries known only from Events say so, can't reverse text, fold beyond fifty, and fit a narrow screen", async ({
  page,
  pageUrl,
  api,
  staleDefinition,
}) => {
  const { name, read } = await staleDefinition(1);
  const { uid } = (await read()).metadata;
  const now = Date.now();
  const told = Array.from({ length: 60 }, (_, index) => ({
    ...{ apiVersion: "v1", kind: "Event", type: "Normal", reason: "RewritePaused", action: "RewritePaused" },
    metadata: { name: `${name}.${index}`, namespace: "default", annotations: { "crdshift.dev/by": "mallory" } },
    involvedObject: { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name, uid },
    ...{ reportingComponent: "crdshift", reportingInstance: "x", source: { component: "crdshift" } },
    ...{ eventTime: new Date(now - index * 1_000).toISOString().replace("Z", "000Z"), message: `\u202eevil ${index}` },
  }));
  await Promise.all(told.map((event) => api.create("/api/v1/namespaces/default/events", event)));

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(pageUrl(`/crds/${name}`));
  const history = page.getByRole("region", { name: "History" });
  await expect(history.getByRole("row")).toHaveCount(51);
  await expect(history.getByRole("row").nth(1)).toContainText("mallory (from an Event)");
  const words = history.getByText("\uFFFDevil 0", { exact: true });
  const box = await words.boundingBox();
  expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
  expect(await history.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expectAccessible(page);
  await history.getByRole("button", { name: "Show 10 more" }).click();
  await expect(history.getByRole("row")).toHaveCount(61);
  await expect(history).toContainText("60 Events since");
});
