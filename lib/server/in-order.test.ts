import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { inOrder } from "./in-order.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A server that answers only when told to: what it works on. */
async function serve() {
  const atWork: ServerResponse[] = [];
  const server = createServer((request, response) => inOrder(request, response, () => void atWork.push(response)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    // One that is closed on this side.
    return socket.on("error", () => {}).setEncoding("utf8");
  };
  return { atWork, open };
}

/** A connection to such a server, and what it has been answered so far. */
async function openOne() {
  const { atWork, open } = await serve();
  const answers = { text: "" };
  const socket = open().on("data", (text) => {
    answers.text += text;
  });
  return { socket, atWork, answers };
}

test("a connection's requests are worked on one after the other, and all are answered", async () => {
  const { socket, atWork, answers } = await openOne();
  socket.write(GET.repeat(3));
  for (const count of [1, 2, 3]) {
    await expect.poll(() => atWork.length).toBe(count);
    await setTimeout(20);
    expect(atWork).toHaveLength(count);
    atWork.at(-1)?.end(`answer ${count}`);
  }
  await expect.poll(() => answers.text.match(/answer \d/g)).toEqual(["answer 1", "answer 2", "answer 3"]);
  socket.write(GET);
  await expect.poll(() => atWork.length).toBe(4);
});

test("a connection that sends a thousand requests and waits for no answer is closed", async () => {
  const { socket, atWork } = await openOne();
  const closed = once(socket, "close");
  socket.write(GET.repeat(1_000));
  await closed;
  expect(atWork.length).toBeLessThanOrEqual(1);
});

// Headers of 26 KB take 170 KB once they are parsed: with seven waiting requests on each of 2,048 connections, more than two gigabytes.
test("at most 256 requests wait on all connections together, and whoever sends one more is disconnected", async () => {
  const { atWork, open } = await serve();
  const flood = async () => {
    const before = atWork.length;
    const sockets = Array.from({ length: 60 }, open);
    for (const socket of sockets) socket.resume().write(GET.repeat(8));
    await expect.poll(() => atWork.length).toBe(before + 60);
    // There is room for 36 times seven.
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(24);
    return sockets;
  };
  const sockets = await flood();
  const other = open().resume();
  other.write(GET);
  await expect.poll(() => atWork.length).toBe(61);
  expect(other.closed).toBe(false);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => atWork.filter(({ closed }) => closed).length).toBe(60);
  // Those who left take no places any more.
  await flood();
});

// With its chunks kept until its turn, 256 such requests took 470 MB.
test("a body in chunks doesn't wait for the request before it", async () => {
  const { socket, atWork } = await openOne();
  const closed = once(socket, "close");
  socket.write(`${GET}POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
  await closed;
  expect(atWork).toHaveLength(1);
});

// Begun in the context of the one before (inOrder), each request keeps all earlier ones of its connection, with 32 KB of headers each: eight
// connections took half a gigabyte in forty seconds.
test("a request that has waited sees nothing of the one before", async () => {
  const store = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) =>
    inOrder(request, response, () => {
      seen.push(store.getStore());
      store.run("of the one before", () => setImmediate(() => response.end("answer")));
    }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(GET.repeat(3));
  await expect.poll(() => seen).toEqual([undefined, undefined, undefined]);
});
