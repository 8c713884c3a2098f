import { setImmediate, setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Credentials } from "#lib/cluster/connection/credentials.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { errorBodySchema } from "#lib/contract/error.ts";
import { json } from "./json.ts";
import { streamJsonLines } from "./json-lines.ts";
import { signedInRoute } from "./signed-in-route.ts";

const sender = vi.hoisted(() => ({
  credentials: { kind: "bearer", token: "a" } as Credentials,
  user: "alice" as string | null,
  hasSignedOut: false,
  isConfirmed: Promise.resolve(),
}));

vi.mock("#lib/sign-in/authenticate.ts", () => ({
  authenticate: () => {
    if (sender.hasSignedOut) throw new AppError("unauthenticated", "You are not signed in to crdshift.");
    return sender.credentials;
  },
}));
vi.mock("#lib/sign-in/confirm-token.ts", () => ({
  confirmToken: () => sender.isConfirmed.then(() => sender.user),
  endOfReading: async () => null,
}));

/** Handlers that are at work; each answers when the test says so. */
let atWork: { answer: () => void }[] = [];
const work = async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  atWork.push({ answer: resolve });
  await promise;
  return json({});
};
const route = signedInRoute(work);
const urgentRoute = signedInRoute(work, { urgent: true });

const ask = (signal?: AbortSignal, to = route, headers: Record<string, string> = {}) =>
  to(new Request("http://localhost/api/clusters", { signal: signal ?? null, headers }), { params: Promise.resolve({}) });
const asMany = (count: number) => Array.from({ length: count }, () => ask());

beforeEach(() => {
  atWork = [];
  Object.assign(sender, {
    credentials: { kind: "bearer", token: "a" },
    user: "alice",
    hasSignedOut: false,
    isConfirmed: Promise.resolve(),
  });
});
afterEach(async () => {
  while (atWork.length > 0) {
    for (const { answer } of atWork.splice(0)) answer();
    await setImmediate();
  }
});

test("of one person's requests, 16 are at work and 240 wait; one more is refused, and says what to do", async () => {
  const asked = asMany(16 + 240);
  await setImmediate();
  expect(atWork).toHaveLength(16);
  const refused = await ask();
  expect(refused.status).toBe(429);
  expect(errorBodySchema.parse(await refused.json()).error).toMatchObject({
    code: "too_many_requests",
    nextStep: expect.stringContaining("Wait"),
  });
  for (let answered = 0; answered < asked.length; answered += 1) {
    await expect.poll(() => atWork.length, { interval: 1 }).toBeGreaterThan(answered);
    expect(atWork.length - answered).toBeLessThanOrEqual(16);
    atWork[answered]?.answer();
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
});

// Built side by side (LargeAnswer), sixteen lists of each of sixteen people, none of which counts yet, end the process.
test("of one person's large answers, one is put together at a time, and keeps nobody else's waiting", async () => {
  const large = signedInRoute(async () => work);
  const asked = Array.from({ length: 16 }, () => ask(undefined, large));
  await setImmediate();
  expect(atWork).toHaveLength(1);
  sender.user = "bob";
  asked.push(ask(undefined, large));
  await setImmediate();
  expect(atWork).toHaveLength(2);
  for (let answered = 0; answered < asked.length; answered += 1) {
    await expect.poll(() => atWork.length, { interval: 1 }).toBeGreaterThan(answered);
    atWork[answered]?.answer();
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200);
});

// In the same turn, four clusters that don't answer keep the lists of all others waiting.
test("what a large answer has to wait for keeps no other one waiting, and one that was waiting as its sender signed out isn't made", async () => {
  const large = signedInRoute(async ({ request }) => {
    if (request.headers.has("x-hangs")) await untilAborted(new Promise(() => {}), request.signal);
    return work;
  });
  const left = new AbortController();
  const hanging = Array.from({ length: 8 }, () => ask(left.signal, large, { "x-hangs": "1" }));
  const asked = [ask(undefined, large), ask(undefined, large)];
  await setImmediate();
  expect(atWork).toHaveLength(1);
  sender.hasSignedOut = true;
  atWork[0]?.answer();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 401]);
  left.abort();
  await Promise.all(hanging);
});

// Whoever has copied a cookie can queue hundreds of requests, which would act after its sign-out.
test("a request that waits for its turn does nothing once its sender has signed out", async () => {
  const atOnce = asMany(16);
  const waits = ask();
  await setImmediate();
  sender.hasSignedOut = true;
  atWork[0]?.answer();
  expect((await waits).status).toBe(401);
  expect(atWork).toHaveLength(16);
  for (const { answer } of atWork) answer();
  for (const { status } of await Promise.all(atOnce)) expect(status).toBe(200);
});

test("a person is counted across tokens, and nobody's requests keep another one's waiting", async () => {
  asMany(16);
  await setImmediate();
  sender.credentials = { kind: "bearer", token: "another of hers" };
  asMany(1);
  await setImmediate();
  expect(atWork).toHaveLength(16);
  sender.user = "bob";
  asMany(1);
  await setImmediate();
  expect(atWork).toHaveLength(17);
  // The cluster doesn't say whose these are.
  sender.user = null;
  asMany(1);
  sender.credentials = { kind: "bearer", token: "a third" };
  asMany(1);
  await setImmediate();
  expect(atWork).toHaveLength(19);
});

// A network whose readers take an answer of megabytes byte by byte would hold all turns.
test("those who share this process's account are many people, and one network leaves as many turns free as it has", async () => {
  sender.credentials = { kind: "own" };
  sender.user = null;
  const askFrom = async (network: string) => {
    for (let count = 0; count < 70; count += 1) void ask(undefined, route, { "x-crdshift-network": network });
    await setImmediate();
    return atWork.length;
  };
  expect(await askFrom("192.0.2.1")).toBe(32);
  expect(await askFrom("192.0.2.2")).toBe(32 + 16);
  expect(await askFrom("192.0.2.3")).toBe(32 + 16 + 8);
});

test("a waiting request leaves with its client, and takes nobody's turn", async () => {
  asMany(16);
  const left = new AbortController();
  const [leaving, next] = [ask(left.signal), ask()];
  await setImmediate();
  left.abort();
  expect((await leaving).status).toBe(499);
  atWork[0]?.answer();
  await expect.poll(() => atWork).toHaveLength(17);
  atWork[16]?.answer();
  expect((await next).status).toBe(200);
});

// Without untilAborted (signed-in-route.ts), it stays in memory for as long as the cluster is silent, up to ten seconds.
test("a request whose token the cluster doesn't confirm leaves with its client", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  sender.isConfirmed = promise;
  const leaving = new AbortController();
  const asked = ask(leaving.signal);
  await setImmediate();
  leaving.abort();
  const left = await Promise.race([asked, setTimeout(1_000, null)]);
  resolve();
  expect(left).not.toBeNull();
  expect(atWork).toEqual([]);
});

test("what stops a run waits for none of its person's other requests", async () => {
  asMany(20);
  await setImmediate();
  ask(undefined, urgentRoute);
  await setImmediate();
  expect(atWork).toHaveLength(17);
});

test("a stream takes a turn only until it begins, and is counted for itself until it ends", async () => {
  async function* endless() {
    for (;;) yield 1;
  }
  const lines = signedInRoute(({ request, owner }) => streamJsonLines(request, owner, endless));
  const open = () => {
    const request = new Request("http://localhost/api/counts", { headers: { accept: "application/x-ndjson" } });
    return lines(request, { params: Promise.resolve({}) });
  };
  const opened = await Promise.all(Array.from({ length: 8 }, open));
  for (const { status } of opened) expect(status).toBe(200);
  asMany(16);
  await setImmediate();
  expect(atWork).toHaveLength(16);
  atWork[0]?.answer();
  const refused = await open();
  expect([refused.status, errorBodySchema.parse(await refused.json()).error.code]).toEqual([429, "too_many_requests"]);
  for (const { body } of opened) await body?.cancel();
});

// Those of 300 readers who read nothing took 360 MB, and nothing ended them.
test("of one person's long answers, 16 are in memory until they are read or left", async () => {
  const long = "x".repeat(1_000_000);
  let made = 0;
  const longRoute = signedInRoute(async () => {
    made += 1;
    return json({ long });
  });
  const left = new AbortController();
  const asked = [ask(left.signal, longRoute), ...Array.from({ length: 19 }, () => ask(undefined, longRoute))];
  await expect.poll(() => made).toBe(16);
  await setImmediate();
  expect(made).toBe(16);
  const [leaving, read, cancelled] = await Promise.all(asked.slice(0, 3));
  expect(await read?.json()).toEqual({ long });
  await expect.poll(() => made).toBe(17);
  await cancelled?.body?.cancel();
  await expect.poll(() => made).toBe(18);
  left.abort();
  await expect.poll(() => made).toBe(19);
  await expect(leaving?.text()).rejects.toThrow("Nobody reads");
  for (const one of asked.slice(3)) expect((await (await one).text()).length).toBeGreaterThan(long.length);
  expect(made).toBe(20);
});

const slowRoute = signedInRoute(async () => json({ long: "x".repeat(1_000_000) }));
const network = (number: number) => ({ "x-crdshift-network": `192.0.2.${number}` });

// Seven networks that read byte by byte held all turns, for minutes. Behind a proxy, all readers are one network.
test.each([
  ["seven networks hold all turns", [32, 16, 8, 4, 2, 1, 1], urgentRoute, 99],
  ["their own network is at its limit", [32], route, 0],
  ["their own network has what another one leaves", [31, 2], route, 0],
  ["two networks have the most that they leave each other", [22, 21], route, 0],
  ["each of many networks holds one", Array.from({ length: 64 }, () => 1), route, 99],
])("whoever waits for a shared turn that somebody's slow reading holds gets it within seconds: %s", async (_, held, to, from) => {
  sender.credentials = { kind: "own" };
  sender.user = null;
  const asked = held.flatMap((count, number) => Array.from({ length: count }, () => ask(undefined, slowRoute, network(number))));
  const unread = await Promise.all(asked);
  const answered = ask(undefined, to, network(from));
  await expect.poll(() => atWork.length, { timeout: 10_000 }).toBe(1);
  atWork[0]?.answer();
  expect((await answered).status).toBe(200);
  for (const { body } of unread) await body?.cancel().catch(() => {});
});

// With the most bytes for the most turns, forty loops of one network cut off everybody else who reads slowly.
test("whoever waits for their own limit has nobody else's slow reading broken off", async () => {
  sender.credentials = { kind: "own" };
  sender.user = null;
  const honest = await ask(undefined, slowRoute, network(1));
  for (let count = 0; count < 40; count += 1) void ask(undefined, route, network(2));
  await setTimeout(3_500);
  expect((await honest.text()).length).toBeGreaterThan(1_000_000);
});

// Behind a proxy, whoever opened three pages while the cluster was slow ended every answer that took over two seconds to read.
test.each([0, 99])("while the cluster is slow, network %d's waiting requests end nobody's reading", async (from) => {
  sender.credentials = { kind: "own" };
  sender.user = null;
  const honest = await ask(undefined, slowRoute, network(0));
  for (const [number, count] of [31, 16, 8, 4, 2, 1, 1].entries())
    for (let more = 0; more < count; more += 1) void ask(undefined, route, network(number));
  void ask(undefined, route, network(from));
  await setTimeout(3_500);
  expect((await honest.text()).length).toBeGreaterThan(1_000_000);
});
