import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { parseInPieces } from "./parse-in-pieces.ts";

/** What it answers, and how often it was asked. */
async function serve(answer: (request: IncomingMessage) => string | Promise<string>) {
  const asked = { times: 0 };
  const server = createServer((request, response) => {
    asked.times += 1;
    const answered = answer(request);
    if (typeof answered === "string") response.end(answered);
    else answered.then((later) => response.end(later));
  });
  parseInPieces(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}

// Without parseInPieces, all of the thousand.
test("of a thousand requests that arrive at once, few are worked on after the connection is closed", async () => {
  const { asked, port } = await serve(({ socket }) => {
    socket.destroy();
    return "";
  });
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_000));
  await once(socket, "close");
  expect(asked.times).toBeGreaterThan(0);
  expect(asked.times).toBeLessThanOrEqual(Math.ceil(1024 / 27));
});

// Without isPaused, parsing goes on in the pieces that are left, and Node's own assertion ends the process.
test("a connection that sends many requests and reads no answer is paused, and answered once it reads", async () => {
  const { asked, port } = await serve(() => "x".repeat(40_000));
  const failed: unknown[] = [];
  const onFailure = (error: unknown) => void failed.push(error);
  process.prependListener("uncaughtException", onFailure);
  onTestFinished(() => void process.off("uncaughtException", onFailure));
  const socket = connect(port, "127.0.0.1")
    .on("error", () => {})
    .pause();
  const times = 2_000;
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(times));
  await expect.poll(() => asked.times).toBeGreaterThan(0);
  await setTimeout(200);
  expect(asked.times).toBeLessThan(times);
  let answered = 0;
  socket.setEncoding("latin1").on("data", (text: string) => {
    answered += text.match(/HTTP\/1\.1 200/g)?.length ?? 0;
  });
  socket.resume();
  // Some status lines come in two parts.
  await expect.poll(() => asked.times, { timeout: 20_000 }).toBe(times);
  await expect.poll(() => answered).toBeGreaterThan(times / 2);
  expect(failed).toEqual([]);
});

test.each([
  ["of known length", "x".repeat(300_000)],
  [
    "in chunks",
    new ReadableStream({
      start(stream) {
        for (let index = 0; index < 100; index += 1) stream.enqueue(new TextEncoder().encode("y".repeat(3_000)));
        stream.close();
      },
    }),
  ],
])("a body %s arrives whole, and the connection is used again", async (_, body) => {
  const { port } = await serve(async (request) => `${(await text(request)).length}`);
  const send = { method: "POST", body, headers: { "x-long": "z".repeat(9_000) }, duplex: "half" };
  expect(await (await fetch(`http://127.0.0.1:${port}`, send)).text()).toBe("300000");
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("0");
});
