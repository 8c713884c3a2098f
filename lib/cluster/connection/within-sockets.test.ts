import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";
import type { Dispatcher } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { HeldBack, wholeAnswer } from "#lib/cluster/transport/whole-answer.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { createDispatcher } from "./create-dispatcher.ts";
import { withinSockets } from "./within-sockets.ts";

const MOST = 3;
const toSend = (origin: string, path: string) => ({ origin, path, method: "GET" }) as const;

/** Sockets to a server that answers only what the test tells it to, by path, and a request over each of them. It may be its own proxy. */
async function busySockets({ behindProxy = false } = {}) {
  const asked = new Map<string, ServerResponse>();
  const server = createServer(({ url = "" }, response) => asked.set(new URL(url, "http://api.example.com").pathname, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    { name: "a", server: origin, skipTLSVerify: false, ...(behindProxy && { proxyUrl: origin }) },
    { name: "a" },
  );
  const dispatcher = createDispatcher(config, { tls: {}, headers: {} }, MOST);
  onTestFinished(async () => {
    await dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  const ask = (path: string, signal = new AbortController().signal, through: Dispatcher = dispatcher) => {
    const answer = wholeAnswer(through, toSend(origin, path), { signal, maxBytes: 1_000 });
    answer.catch(() => {});
    return answer;
  };
  const open = (path: string, signal: AbortSignal) => untilAborted(dispatcher.request({ ...toSend(origin, path), signal }), signal);
  const busy = ["/busy-1", "/busy-2", "/busy-3"].map((path) => ask(path));
  await expect.poll(() => asked.size).toBe(MOST);
  return { origin, dispatcher, asked, busy, ask, open };
}

// Without withinSockets, undici keeps all thousand, with the HTTP request that each was made for, until a socket is free.
test.each([
  { what: "whole answers", how: "ask", behindProxy: false },
  { what: "streams", how: "open", behindProxy: false },
  { what: "answers through a proxy", how: "ask", behindProxy: true },
] as const)("of $what that are given up while all sockets are in use, nothing is kept", async ({ how, behindProxy }) => {
  const { asked, busy, [how]: ask } = await busySockets({ behindProxy });
  const context = new AsyncLocalStorage<object>();
  const made: WeakRef<object>[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    const leaving = new AbortController();
    const request = {};
    made.push(new WeakRef(request));
    const answer = context.run(request, () => ask("/left", leaving.signal));
    leaving.abort(new Error("left"));
    await expect(answer).rejects.toThrow("left");
  }
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(made.filter((one) => one.deref() !== undefined).length).toBeLessThan(10);
  for (const response of asked.values()) response.end("{}");
  await Promise.all(busy);
  expect([...asked.keys()]).toEqual(["/busy-1", "/busy-2", "/busy-3"]);
});

test("those that wait are sent one by one, oldest first, as others end", async () => {
  const { asked, busy, ask } = await busySockets();
  const answers = ["/1", "/2", "/3"].map((path) => ask(path));
  const order = ["/busy-2", "/1", "/2"];
  for (const [i, path] of order.entries()) {
    asked.get(path)?.end("{}");
    await expect.poll(() => [...asked.keys()].slice(MOST)).toEqual(["/1", "/2", "/3"].slice(0, i + 1));
  }
  for (const response of asked.values()) response.end("{}");
  for (const answer of [...busy, ...answers]) expect(await answer).toMatchObject({ statusCode: 200, text: "{}" });
});

test("one that leaves lets the next one go first", async () => {
  const { asked, ask } = await busySockets();
  const leaving = new AbortController();
  const left = ask("/left", leaving.signal);
  const stayed = ask("/stayed");
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  asked.get("/busy-1")?.end("{}");
  await expect.poll(() => asked.has("/stayed")).toBe(true);
  asked.get("/stayed")?.end("{}");
  expect(await stayed).toMatchObject({ text: "{}" });
  expect(asked.has("/left")).toBe(false);
});

test("one whose sending ends while it waits leaves, too", async () => {
  const { origin, dispatcher, asked, ask } = await busySockets();
  const [within, begun] = [new AbortController(), vi.fn()];
  const sending = { within: within.signal, held: () => null, begun, refused() {} };
  const ended = wholeAnswer(dispatcher, toSend(origin, "/ended"), { signal: new AbortController().signal, maxBytes: 1_000, sending });
  const stayed = ask("/stayed");
  within.abort(new Error("The definition changed."));
  await expect(ended).rejects.toThrow("The definition changed.");
  asked.get("/busy-1")?.end("{}");
  await expect.poll(() => asked.has("/stayed")).toBe(true);
  asked.get("/stayed")?.end("{}");
  await stayed;
  expect(begun).not.toHaveBeenCalled();
  expect(asked.has("/ended")).toBe(false);
});

test("whether one may go out is asked when it has a socket, and a refusal gives that back", async () => {
  const { origin, dispatcher, asked, ask } = await busySockets();
  let held: HeldBack | null = null;
  const sending = { within: new AbortController().signal, held: () => held, begun() {}, refused() {} };
  const answer = wholeAnswer(dispatcher, toSend(origin, "/held"), { signal: new AbortController().signal, maxBytes: 1_000, sending });
  const next = ask("/next");
  held = new HeldBack("The definition may have changed.");
  asked.get("/busy-1")?.end("{}");
  await expect(answer).rejects.toBe(held);
  await expect.poll(() => asked.has("/next")).toBe(true);
  asked.get("/next")?.end("{}");
  await next;
  expect(asked.has("/held")).toBe(false);
});

test("a stream holds its socket until it ends, and a connection that breaks gives its place back", async () => {
  const { asked, busy, ask, open } = await busySockets();
  asked.get("/busy-1")?.end("{}");
  const opening = open("/stream", new AbortController().signal);
  await expect.poll(() => asked.has("/stream")).toBe(true);
  asked.get("/stream")?.write("{");
  const { body } = await opening;
  const answers = ["/1", "/2"].map((path) => ask(path));
  asked.get("/busy-2")?.destroy();
  await expect(busy[1]).rejects.toThrow("other side closed");
  await expect.poll(() => asked.has("/1")).toBe(true);
  expect(asked.has("/2")).toBe(false);
  asked.get("/stream")?.end("}");
  expect(await body.text()).toBe("{}");
  await expect.poll(() => asked.has("/2")).toBe(true);
  for (const path of ["/1", "/2"]) asked.get(path)?.end("{}");
  await Promise.all(answers);
});

test("each is sent as a part of what asked for it, not of what ended before", async () => {
  const { dispatcher, asked, ask } = await busySockets();
  const context = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const noting = dispatcher.compose((dispatch) => (options, handler) => {
    seen.push(context.getStore());
    return dispatch(options, handler);
  });
  const limited = noting.compose(withinSockets(1));
  const first = context.run("first", () => ask("/first", undefined, limited));
  const second = context.run("second", () => ask("/second", undefined, limited));
  for (const path of ["/busy-1", "/first", "/second"]) {
    await expect.poll(() => asked.has(path)).toBe(true);
    asked.get(path)?.end("{}");
  }
  await Promise.all([first, second]);
  expect(seen).toEqual(["first", "second"]);
});
