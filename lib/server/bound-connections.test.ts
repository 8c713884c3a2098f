import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { boundConnections } from "./bound-connections.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A server with room for three connections, which answers only when told to. */
async function serve(personOf: (socket: Socket) => string | null = () => "ada", ofPerson = 3) {
  const atWork: ServerResponse[] = [];
  const server = createServer((_, response) => void atWork.push(response));
  boundConnections(server, { inAll: 3, ofPerson }, personOf);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const open = async (localAddress = "127.0.0.1"): Promise<Socket> => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).resume();
    const count = () =>
      new Promise<number>((resolve, reject) => server.getConnections((error, all) => (error ? reject(error) : resolve(all))));
    await once(socket, "connect");
    // The server has it by then.
    await expect.poll(count).toBeLessThanOrEqual(3);
    return socket;
  };
  return { atWork, open };
}

// With maxConnections of Node, whoever holds all connections keeps everyone else out.
test("a connection too many closes the longest idle one, and none with a request at work", async () => {
  const { atWork, open } = await serve();
  const busy = await open();
  busy.write(GET);
  await expect.poll(() => atWork.length).toBe(1);
  const [idle, other] = [await open(), await open()];
  const next = await open();
  await expect.poll(() => idle.closed).toBe(true);
  expect([busy, other, next].map(({ closed }) => closed)).toEqual([false, false, false]);
  next.write(GET);
  await expect.poll(() => atWork.length).toBe(2);
});

test("the new one is closed if each of the others has a request at work, until one is answered", async () => {
  const { atWork, open } = await serve();
  const sockets = [await open(), await open(), await open()];
  for (const socket of sockets) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  const refused = await open();
  await expect.poll(() => refused.closed).toBe(true);
  expect(sockets.some(({ closed }) => closed)).toBe(false);
  atWork[1]?.end();
  await expect.poll(() => atWork[1]?.writableFinished).toBe(true);
  const next = await open();
  await expect.poll(() => sockets[1]?.closed).toBe(true);
  expect(next.closed).toBe(false);
});

// Where only idle ones are closed, 2,048 unread answers, or bodies that never end, keep everyone out for as long as they last.
test("a connection on which no byte has moved for 20 seconds makes room, although it has a request at work", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const { atWork, open } = await serve();
  const [stalled, moving, another] = [await open(), await open(), await open()];
  for (const socket of [stalled, moving, another]) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  vi.advanceTimersByTime(15_000);
  for (const response of atWork.slice(1)) response.write("so far");
  await expect.poll(() => moving.bytesRead).toBeGreaterThan(0);
  vi.advanceTimersByTime(10_000);
  const next = await open();
  await expect.poll(() => stalled.closed).toBe(true);
  expect([moving, another, next].map(({ closed }) => closed)).toEqual([false, false, false]);
});

// Where all count alike, 2,048 bodies that trickle in keep everyone out: sent anew within 20 seconds, none of them ever stalls.
test("whoever has the most connections makes room for others, although bytes still move on all of them", async () => {
  const { atWork, open } = await serve();
  const [oldest, another, own] = [await open("127.0.0.2"), await open("127.0.0.2"), await open("127.0.0.3")];
  for (const socket of [oldest, another, own]) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  const next = await open("127.0.0.4");
  await expect.poll(() => oldest.closed).toBe(true);
  next.write(GET);
  await expect.poll(() => atWork.length).toBe(4);
  const refused = await open("127.0.0.5");
  await expect.poll(() => refused.closed).toBe(true);
  expect([another, own, next].map(({ closed }) => closed)).toEqual([false, false, false]);
});

// Where strangers count like everyone else, a few networks that keep their connections moving leave no place to anyone new.
test("strangers make room for everyone, and nobody who is known does for them", async () => {
  const known = new Map<number | undefined, string>();
  const { atWork, open } = await serve(({ remotePort }) => known.get(remotePort) ?? null);
  const [ada, stranger, other] = [await open("127.0.0.2"), await open("127.0.0.3"), await open("127.0.0.4")];
  known.set(ada.localPort, "ada");
  for (const socket of [ada, stranger, other]) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  const next = await open("127.0.0.5");
  await expect.poll(() => stranger.closed).toBe(true);
  expect([ada, other, next].map(({ closed }) => closed)).toEqual([false, false, false]);
});

// Where only room for others closes it, a hundred megabytes of unread answers stay in the system's memory, which counts as the pod's.
test("a stranger's connection is closed once an answer stays unread for 20 seconds, and one that still waits for its answer isn't", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const known = new Map<number | undefined, string>();
  const { atWork, open } = await serve(({ remotePort }) => known.get(remotePort) ?? null);
  const sockets = [await open(), await open(), await open()] as const;
  const [reader, ada, waiting] = sockets;
  known.set(ada.localPort, "ada");
  for (const [index, socket] of sockets.entries()) {
    socket.write(GET);
    await expect.poll(() => atWork.length).toBe(index + 1);
  }
  // More than the system takes for a connection.
  const long = Buffer.alloc(16 * 1024 * 1024);
  for (const [index, socket] of [reader, ada].entries()) {
    socket.pause();
    atWork[index]?.write(long);
  }
  vi.advanceTimersByTime(19_000);
  expect(atWork.map(({ closed }) => closed)).toEqual([false, false, false]);
  vi.advanceTimersByTime(3_000);
  await expect.poll(() => atWork[0]?.closed).toBe(true);
  expect(atWork.slice(1).map(({ closed }) => closed)).toEqual([false, false]);
  expect(waiting.closed).toBe(false);
});

// Each connection is idle until its first request has been read: with those closed first, whoever opens 150 a second keeps everyone else out.
test("a connection that was opened a moment ago isn't closed for those of a network that has more", async () => {
  const { atWork, open } = await serve(() => null);
  const flood = [await open("127.0.0.9"), await open("127.0.0.9")];
  for (const socket of flood) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(2);
  const victim = await open("127.0.0.5");
  await open("127.0.0.9");
  await expect.poll(() => flood[0]?.closed).toBe(true);
  victim.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  expect(victim.closed).toBe(false);
});

// As strangers' connections are opened, those of people who are signed in would go, while they read a page or wait for a prune.
test("nobody who is known makes room while there are strangers, neither idle nor stalled for however long", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const known = new Map<number | undefined, string>();
  const { atWork, open } = await serve(({ remotePort }) => known.get(remotePort) ?? null);
  const [idle, busy] = [await open("127.0.0.5"), await open("127.0.0.5")];
  for (const { localPort } of [idle, busy]) known.set(localPort, "ada");
  busy.write(GET);
  await expect.poll(() => atWork.length).toBe(1);
  vi.advanceTimersByTime(25_000);
  const stranger = await open("127.0.0.9");
  const next = await open("127.0.0.9");
  await expect.poll(() => stranger.closed).toBe(true);
  expect([idle, busy, next].map(({ closed }) => closed)).toEqual([false, false, false]);
});

// Where strangers always make room before anyone who is known, one person's answers that nobody reads keep everyone else out.
test("whoever has more than a person's share makes room before anyone else, an idle connection first", async () => {
  const known = new Map<number | undefined, string>();
  const { atWork, open } = await serve(({ remotePort }) => known.get(remotePort) ?? null, 1);
  const [busy, idle, stranger] = [await open("127.0.0.2"), await open("127.0.0.3"), await open("127.0.0.9")];
  for (const { localPort } of [busy, idle]) known.set(localPort, "eve");
  for (const socket of [busy, stranger]) socket.write(GET);
  await expect.poll(() => atWork.length).toBe(2);
  const next = await open("127.0.0.9");
  await expect.poll(() => idle.closed).toBe(true);
  expect([busy, stranger, next].map(({ closed }) => closed)).toEqual([false, false, false]);
  known.set(next.localPort, "eve");
  next.write(GET);
  await expect.poll(() => atWork.length).toBe(3);
  const ada = await open("127.0.0.5");
  await expect.poll(() => busy.closed || next.closed).toBe(true);
  expect([stranger, ada].map(({ closed }) => closed)).toEqual([false, false]);
  known.set(ada.localPort, "ada");
  await open("127.0.0.9");
  await expect.poll(() => stranger.closed).toBe(true);
  expect([ada.closed, busy.closed && next.closed]).toEqual([false, false]);
});
