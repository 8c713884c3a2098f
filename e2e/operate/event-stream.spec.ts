import { get } from "node:http";
import { expect, test } from "#e2e/fixtures.ts";
import { scriptHeaders } from "#lib/server/testing/ask-dashboard.ts";

function firstEvent(url: string): Promise<{ text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    // A new connection, as one from an earlier test may be closing.
    const sent = get(url, { agent: false, headers: { ...scriptHeaders, "accept-encoding": "gzip" } }, (response) => {
      response.once("data", (chunk: Buffer) => {
        resolve({ text: chunk.toString("utf8"), headers: response.headers });
        sent.destroy();
      });
    });
    sent.on("error", reject);
  });
}

test("the first event arrives within a second when gzip is accepted", async ({ apiUrl }) => {
  // A dashboard that has just started loads the route's code first.
  await firstEvent(apiUrl("/events"));
  const startedAt = performance.now();
  const first = await firstEvent(apiUrl("/events"));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(first.text).toContain("event: ready");
  expect(first.headers["cache-control"]).toContain("no-transform");
  expect(first.headers["content-encoding"]).toBeUndefined();
});

test("eight tabs load at once and all show a change", async ({ context, pageUrl, staleDefinition, api }) => {
  const definition = await staleDefinition(1);
  const pages = await Promise.all(Array.from({ length: 8 }, () => context.newPage()));
  for (const page of pages) {
    await page.goto(pageUrl());
    await expect(page.getByRole("link", { name: definition.name })).toBeVisible();
    await expect(page.getByText("live", { exact: true })).toBeVisible();
    // Only a list that was seen longer can be seen to shrink.
    await expect(page.getByRole("row").filter({ hasText: definition.name })).toContainText("needs rewrite");
  }
  await api.mergePatch(
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`,
    { status: { storedVersions: ["v1"] } },
    { subresource: "status" },
  );
  for (const page of pages) {
    const row = page.getByRole("row").filter({ hasText: definition.name });
    await expect(row).toContainText("blocked");
  }
});
