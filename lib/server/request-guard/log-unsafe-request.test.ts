import { createServer, request as httpRequest, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, expect, onTestFinished, test, vi } from "vitest";
import { logUnsafeRequest } from "./log-unsafe-request.ts";

const log = vi.spyOn(console, "log").mockImplementation(() => {});
afterEach(() => log.mockClear());
afterAll(() => log.mockRestore());
const lines = () => log.mock.calls.map(([line]): unknown => JSON.parse(String(line)));

/** How many answers have ended, after their lines were logged. */
let ended = 0;

/** The URL of a server that answers so. */
async function serve(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    logUnsafeRequest(request, response, "id-1");
    response.once("close", () => {
      ended += 1;
    });
    answer(request, response);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a request that may change something is logged as one line, without its query, headers or body", async () => {
  const url = await serve((_request, response) => void response.writeHead(422).end("canary"));
  const headers = { authorization: "Bearer canary", cookie: "a=canary" };
  await fetch(`${url}/api/a%20b?canary=canary`, { method: "POST", headers, body: "canary" });
  await expect.poll(lines).toEqual([
    {
      ...{ level: "info", at: expect.stringMatching(/^\d{4}-.*Z$/), requestId: "id-1" },
      ...{ method: "POST", path: "/api/a%20b", status: 422, ms: expect.any(Number) },
    },
  ]);
});

test("a request that only reads is not logged", async () => {
  const url = await serve((_request, response) => void response.end());
  for (const method of ["GET", "HEAD", "OPTIONS"]) await fetch(url, { method });
  await fetch(url, { method: "DELETE" });
  await expect.poll(lines).toMatchObject([{ method: "DELETE", status: 200 }]);
});

test("a request whose client disconnected is logged with status 499", async () => {
  const arrived = Promise.withResolvers<void>();
  const url = await serve(() => arrived.resolve());
  const sent = httpRequest(url, { method: "POST" }).on("error", () => {});
  sent.end("{}");
  await arrived.promise;
  sent.destroy();
  await expect.poll(lines).toMatchObject([{ method: "POST", path: "/", status: 499 }]);
});

let clockAt = performance.now();

// A pod's log is kept for some megabytes: a minute of such lines leaves nothing of what was done.
test.each([
  [403, "/"],
  [503, "/"],
  [200, "/api/sign-out"],
])("of requests answered with %i at %s, twenty a second are logged, and the next one counts the others", async (inVain, path) => {
  let status = inVain;
  // Earlier tests' lines count in a second that is over.
  clockAt += 10_000;
  let now = clockAt;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const url = await serve((_request, response) => void response.writeHead(status).end());
  const post = (to = path) => fetch(`${url}${to}`, { method: "POST" });
  ended = 0;
  await Promise.all(Array.from({ length: 50 }, () => post()));
  await expect.poll(() => ended).toBe(50);
  expect(lines()).toHaveLength(20);
  status = 200;
  await post("/api/clusters");
  await expect.poll(() => lines().length).toBe(21);
  status = inVain;
  now += 1_000;
  await post();
  await expect.poll(() => lines().at(-1)).toMatchObject({ status, unlogged: 30 });
});

test("a path that is too long is cut in the log", async () => {
  const url = await serve((_request, response) => void response.end());
  await fetch(`${url}/${"a".repeat(9_000)}`, { method: "POST" });
  await expect.poll(lines).toMatchObject([{ path: expect.stringMatching(/^\/a{1999}$/) }]);
});
