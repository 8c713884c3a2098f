import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { errorBodySchema } from "#lib/contract/error.ts";
import { explainMethodRefusal } from "./explain-method-refusal.ts";

/** What a server answers that ends each request so. */
async function answer(path: string, end: (response: ServerResponse) => void, method = "POST") {
  const server = createServer((request, response) => {
    explainMethodRefusal(request, response);
    end(response);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });
  return { status: response.status, text: await response.text() };
}

const empty405 = (response: ServerResponse) => {
  response.statusCode = 405;
  response.end();
};

test("an empty 405 below /api gets the usual error body", async () => {
  for (const end of [empty405, (response: ServerResponse) => void response.writeHead(405).end()]) {
    const { status, text } = await answer("/api/clusters", end);
    expect(status).toBe(405);
    expect(errorBodySchema.parse(JSON.parse(text)).error).toMatchObject({ code: "request_refused", nextStep: expect.any(String) });
  }
});

test("a 405 for HEAD has no body", async () => {
  expect(await answer("/api/clusters", empty405, "HEAD")).toEqual({ status: 405, text: "" });
});

test("every other answer stays unchanged", async () => {
  expect(await answer("/clusters", empty405)).toEqual({ status: 405, text: "" });
  expect(await answer("/api/clusters", (response) => void response.writeHead(200).end("fine"))).toEqual({ status: 200, text: "fine" });
});
