import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { builtFiles } from "./built-files.ts";

const SCRIPT = "export const answer = 42;\n".repeat(1_000);

/** A server of the build's files with these contents, and what it has sent; it leaves everything else to Next, which answers 501 here. */
async function serve(files: Record<string, string>) {
  const directory = mkdtempSync(path.join(tmpdir(), "crdshift-static-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(path.join(directory, "chunks"));
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(directory, "chunks", name), content);
  const answerFile = builtFiles(directory);
  const sent: Buffer[][] = [];
  const server = createServer((request, response) => {
    const write = vi.spyOn(response, "write");
    if (!answerFile(request, response)) response.writeHead(501).end();
    response.once("finish", () => sent.push(write.mock.calls.map(([piece]) => piece)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { directory, sent, url: `http://127.0.0.1:${port}/_next/static/chunks` };
}

test("a file of the build is answered whole, compressed for whoever accepts that, and kept by browsers", async () => {
  const { url } = await serve({ "a.js": SCRIPT, "a.css": "b{}", "a.woff2": "font" });
  for (const [encoding, sent] of [
    ["gzip, br", "gzip"],
    ["gzip;q=0", null],
    ["identity", null],
  ] as const) {
    const response = await fetch(`${url}/a.js?v=1`, { headers: { "accept-encoding": encoding } });
    expect(response.headers.get("content-encoding")).toBe(sent);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ "content-type": "application/javascript; charset=UTF-8", "cache-control": "public, max-age=31536000, immutable" },
      vary: "Accept-Encoding",
    });
    expect(await response.text()).toBe(SCRIPT);
  }
  const head = await fetch(`${url}/a.js`, { method: "HEAD", headers: { "accept-encoding": "identity" } });
  expect(head.headers.get("content-length")).toBe(String(SCRIPT.length));
  expect(await head.text()).toBe("");
  const types = await Promise.all(["a.css", "a.woff2"].map(async (name) => (await fetch(`${url}/${name}`)).headers.get("content-type")));
  expect(types).toEqual(["text/css; charset=UTF-8", "font/woff2"]);
});

test("nothing but the build's files is answered, however the path is written", async () => {
  const { url } = await serve({ "a.js": SCRIPT, "a b.js": SCRIPT });
  const statusOf = async (name: string, method = "GET") => (await fetch(`${url}/${name}`, { method })).status;
  expect(await Promise.all(["%61.js", "a%20b.js", "..%2fchunks%2fa.js", "b.js", "", "a.js/"].map((name) => statusOf(name)))).toEqual([
    ...[200, 200, 404, 404, 404, 404],
  ]);
  expect(await statusOf("a.js", "OPTIONS")).toBe(404);
  expect(await statusOf("../../a.js")).toBe(501);
});

// Left to Next, which looks for a route of that name first, they took no turn (answerInTurn in answer-turns.ts).
test("a file of an earlier build is answered at once, and not kept", async () => {
  const { url } = await serve({ "a.js": SCRIPT });
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(`${url}/gone.js`, { method });
    expect([response.status, response.headers.get("cache-control")]).toEqual([404, "no-store"]);
    expect(await response.text()).toBe(method === "GET" ? "Not found" : "");
  }
});

// A stream and a compression for each answer took 200 KB: with 2,048 connections that read nothing, half a gigabyte.
test("answers that nobody reads share one copy of the file", async () => {
  const { url, sent } = await serve({ "a.js": SCRIPT });
  for (const encoding of ["gzip", "gzip", "identity", "identity"]) {
    await (await fetch(`${url}/a.js`, { headers: { "accept-encoding": encoding } })).text();
  }
  const memoryOf = (pieces: Buffer[] = []) => new Set(pieces.map(({ buffer }) => buffer));
  expect(Buffer.concat(sent[2] ?? []).toString()).toBe(SCRIPT);
  expect(sent[2]?.length).toBeGreaterThan(1);
  expect(memoryOf(sent[1])).toEqual(memoryOf(sent[0]));
  expect(memoryOf([...(sent[2] ?? []), ...(sent[3] ?? [])]).size).toBe(1);
});

// Without reading all of them at first (built-files.ts) the pages of a replaced build lose the scripts that nobody had asked for.
test("a file that nobody has asked for yet is answered once the build is gone", async () => {
  const { directory, url } = await serve({ "a.js": SCRIPT });
  rmSync(directory, { recursive: true });
  const response = await fetch(`${url}/a.js`, { signal: AbortSignal.timeout(5_000) });
  expect({ status: response.status, text: await response.text() }).toEqual({ status: 200, text: SCRIPT });
});
