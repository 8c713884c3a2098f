import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serverArguments } from "#lib/server/bootstrap/start.mjs";
import { boundedServer } from "./bounded-server.ts";

const CONNECTIONS = 2_000;
const MEBIBYTE = 1024 * 1024;

/** As many headers, with 26 KB. */
function get(headers: number): string {
  const value = "b".repeat(Math.floor(26_000 / headers) - 10);
  return `GET / HTTP/1.1\r\nHost: a\r\n${Array.from({ length: headers }, (_, index) => `x${index}: ${value}\r\n`).join("")}\r\n`;
}

async function serve() {
  const flags = serverArguments.filter((argument) => argument.startsWith("--"));
  const server = fork(new URL("./testing/unanswering-server.ts", import.meta.url), { execArgv: flags, stdio: "ignore" });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [port] = await once(server, "message");
  return Number(port);
}

// With 900 headers a request, and eight requests on each connection, it took 2.5 GB, and a pod has one. Each flood leaves 230 MB to the
// collector, which may come late on a busy machine, but not for three of them.
test.each([90, 900])(
  "2,000 connections with eight unanswered requests of 26 KB, in %d headers, don't exhaust the memory",
  async (headers) => {
    const port = await serve();
    const flood = Buffer.from(get(headers).repeat(8));
    for (let floods = 0; floods < 3; floods += 1) {
      const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, "127.0.0.1").on("error", () => {}));
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      for (const socket of sockets) {
        await new Promise<unknown>((resolve) => {
          socket.once("close", resolve);
          socket.write(flood, resolve);
        });
      }
    }
    const answer = await fetch(`http://127.0.0.1:${port}/memory`);
    expect(Number(await answer.text()) * 1024).toBeLessThan(384 * MEBIBYTE);
  },
);

// Without the rest of them, a refusal might be about another request than the one that is answered.
test("a request with more than a hundred headers is refused, and none of them is left out", async () => {
  const port = await serve();
  // Besides the Host.
  for (const [headers, status] of [
    [99, "200"],
    [100, "431"],
  ] as const) {
    const socket = connect(port, "127.0.0.1").setEncoding("utf8");
    onTestFinished(() => void socket.destroy());
    socket.write(get(headers).replace("GET /", "GET /memory"));
    const [text] = await once(socket, "data");
    expect(/^HTTP\/1\.1 (\d+)/.exec(String(text))?.[1]).toBe(status);
  }
});

// Node answers each of these itself (417) without checkExpectation, nobody reads the answers, and nothing counts them.
test("requests with an expectation are requests like any other", async () => {
  const port = await serve();
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  onTestFinished(() => void socket.destroy());
  socket.write("GET /memory HTTP/1.1\r\nHost: a\r\nExpect: x\r\n\r\n");
  const [text] = await once(socket, "data");
  expect(text).toMatch(/^HTTP\/1\.1 200/);
});

// Without MOST_LISTENERS (bounded-server.ts) the log has a warning of a leak, for the first request that changes something.
test("an answer may have as many listeners as one of Next's has, without a warning", async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const server = boundedServer(
    () => null,
    (_, response) => {
      for (let listeners = 0; listeners < 12; listeners += 1) response.once("close", () => {});
      response.end();
    },
  );
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  await fetch(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`);
  expect(warnings).toEqual([]);
});
