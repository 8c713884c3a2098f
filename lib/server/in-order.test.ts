import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { inOrder } from "./in-order.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A connection to a server that answers only when told to: those that it works on. */
async function open() {
  const atWork: ServerResponse[] = [];
  const server = createServer((request, response) => inOrder(request, response, () => void atWork.push(response)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  // One that is closed on this side.
  socket.on("error", () => {});
  onTestFinished(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  const answers = { text: "" };
  socket.setEncoding("utf8").on("data", (text) => {
    answers.text += text;
  });
  return { socket, atWork, answers };
}

test("a connection's requests are worked on one after the other, and all are answered", async () => {
  const { socket, atWork, answers } = await open();
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
  const { socket, atWork } = await open();
  const closed = once(socket, "close");
  socket.write(GET.repeat(1_000));
  await closed;
  expect(atWork.length).toBeLessThanOrEqual(1);
});
