import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answerHealth, HEALTH_PATH } from "./answer-health.ts";
import { explainMethodRefusal } from "./request-guard/explain-method-refusal.ts";

async function serve(): Promise<string> {
  const server = createServer((request, response) => {
    explainMethodRefusal(request, response);
    answerHealth(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${HEALTH_PATH}`;
}

test("whoever asks whether crdshift answers is told so, and nobody keeps the answer", async () => {
  const url = await serve();
  const response = await fetch(url);
  expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
    ...[200, "application/json", "no-store"],
  ]);
  expect(await response.json()).toEqual({ status: "ok" });
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("a method that /api/health doesn't have is refused as on other paths", async () => {
  const response = await fetch(await serve(), { method: "DELETE" });
  expect([response.status, await response.json()]).toMatchObject([405, { error: { code: "request_refused" } }]);
});
