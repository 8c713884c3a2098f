import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ownDemoData, startDemoForTest } from "./testing/open-demo.ts";

const cronTabPath = "/apis/stable.example.com/v1/namespaces/team-search/crontabs/nightly-report-0002";

beforeAll(ownDemoData);

test("a second start whose webhook port is taken converts from another port", async () => {
  const { demo, directory } = await startDemoForTest();
  await demo.stop();
  const squatter = createServer();
  onTestFinished(() => void squatter.close());
  const port = Number(await readFile(path.join(directory, "webhook.port"), "utf8"));
  await new Promise<void>((resolve) => squatter.listen({ host: "127.0.0.1", port }, resolve));

  const { client } = await startDemoForTest();
  for (const list of ["/apis/stable.example.com/v1/crontabs", "/apis/analytics.example.com/v1/reporttasks"]) {
    await vi.waitFor(() => client.list(`${list}?limit=1`), { timeout: 20_000, interval: 200 });
  }
});

test("a start with --reset recreates the demo", async () => {
  const before = await startDemoForTest();
  await before.client.delete(cronTabPath);
  await before.demo.stop();
  const { client, rewritten } = await startDemoForTest(true);
  expect(rewritten).toHaveLength(1);
  await expect(client.get(cronTabPath)).resolves.toMatchObject({ metadata: { name: "nightly-report-0002" } });
});

test("a start recreates a demo that another release saved", async () => {
  const before = await startDemoForTest();
  expect(before.rewritten).toEqual([]);
  await before.demo.stop();
  // What releases wrote before they told their content from another's.
  await writeFile(path.join(before.directory, "demo-content-is-complete"), "");

  const { rewritten, logged } = await startDemoForTest();
  expect(rewritten).toHaveLength(1);
  expect(logged).toContain("The saved demo is from another release: recreating it");
});
