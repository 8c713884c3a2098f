import { EventEmitter } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { peoplesCluster } from "#lib/cluster/testing/peoples-cluster.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { newSession, type Session, sessionCookies } from "#lib/sign-in/session/session.ts";
import { answerInTurn, TooManyRequests } from "./answer-turns.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Looking at sixty sessions takes a second on a busy machine. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000 });

interface Asking {
  cookie?: string;
  path?: string;
  onLook?: () => void;
  readWithinMs?: number | undefined;
}

/** A busy machine may look at sixty requests for longer than a turn lasts, and then fewer wait than were sent. */
const LONG = 60_000;

/** Asks for a page; it is rendered until `finish`, or until the connection is closed. */
function ask(remoteAddress: string, { cookie, path = "/", onLook, readWithinMs = LONG }: Asking = {}) {
  const response = new EventEmitter();
  const page = { isLookedAt: false, isBegun: false, error: null as unknown, finish: () => void response.emit("close") };
  const headers = {
    host: "localhost",
    get cookie() {
      page.isLookedAt = true;
      onLook?.();
      return cookie;
    },
  };
  const request = { headers, socket: { remoteAddress } } as Partial<IncomingMessage> as IncomingMessage;
  const answer = async () => {
    page.isBegun = true;
  };
  answerInTurn(request, response as Partial<ServerResponse> as ServerResponse, path, answer, readWithinMs).catch((error: unknown) => {
    page.error = error;
  });
  return page;
}

function cookieOf(session: Session): string {
  return sessionCookies(new Request("http://localhost", { headers: { host: "localhost" } }), session)
    .map((one) => one.split(";")[0])
    .join("; ");
}

test("eight pages are rendered at once, an address that asks for many doesn't keep others from theirs, and has 64 waiting at most", async () => {
  const [first = expect.fail(), ...many] = Array.from({ length: 100 }, () => ask("10.0.0.1"));
  const other = ask("10.0.0.2");
  await until(() => expect(many.filter(({ error }) => error instanceof TooManyRequests)).toHaveLength(28));
  expect([first, ...many].filter(({ isBegun }) => isBegun)).toHaveLength(8);
  expect(other.isBegun).toBe(false);
  first.finish();
  many[0]?.finish();
  await until(() => expect(other.isBegun).toBe(true));
  for (const page of [other, ...many]) page.finish();
  await until(() => expect(many.filter(({ isBegun }) => isBegun).length).toBeGreaterThan(6));
});

// With the same turns for everyone, whoever has many networks keeps those who are signed in from theirs.
test("nobody who isn't signed in keeps a session from a turn, however many networks ask", async () => {
  const flood = Array.from({ length: 100 }, (_, index) => ask(`2001:db8:0:${index}::1`));
  const cookie = cookieOf(newSession("local", null));
  const signedIn = ask("10.0.0.7", { cookie });
  await until(() => expect(signedIn.isBegun).toBe(true));
  await until(() => expect(flood.filter(({ isBegun }) => isBegun)).toHaveLength(8));
  for (const page of [signedIn, ...flood]) page.finish();
});

test("all addresses of an IPv6 network take turns as one", async () => {
  const flood = Array.from({ length: 8 + 64 }, (_, index) => ask(`2001:db8::${index + 1}`));
  const [beyond, other] = [ask("2001:db8::aaaa"), ask("2001:db8:0:1::1")];
  await until(() => expect(beyond.error).toBeInstanceOf(TooManyRequests));
  expect(other.error).toBeNull();
  for (const page of [other, ...flood]) page.finish();
});

// With turns by address alone, one client without a sign-in keeps everyone behind the same proxy from their pages.
test("a session has turns of its own, whoever else has the same address; a made-up one does not", async () => {
  const flood = Array.from({ length: 8 + 64 }, () => ask("10.0.0.5"));
  const madeUp = ask("10.0.0.5", { cookie: cookieOf(newSession("local", null)).replaceAll(/=./g, "=x") });
  const signedIn = ask("10.0.0.5", { cookie: cookieOf(newSession("local", null)) });
  await until(() => expect(madeUp.error).toBeInstanceOf(TooManyRequests));
  flood[0]?.finish();
  flood[1]?.finish();
  await until(() => expect(signedIn.isBegun).toBe(true));
  expect(flood.filter(({ isBegun }) => isBegun).length).toBeLessThanOrEqual(9);
  for (const page of [signedIn, ...flood]) page.finish();
});

test("pages that nobody reads keep no one from theirs for longer than two seconds", async () => {
  const unread = Array.from({ length: 8 }, () => ask("10.0.0.3", { readWithinMs: 2_000 }));
  const next = ask("10.0.0.4");
  await until(() => expect(next.isBegun).toBe(true));
  for (const page of [...unread, next]) page.finish();
});

// Without turns, a hundred requests at once that only learn that they have to sign in take seconds from everyone else's.
test("requests to the API of people who aren't known take turns, too, and those of a session don't wait for them", async () => {
  const flood = Array.from({ length: 100 }, () => ask("10.0.0.6", { path: "/api/clusters" }));
  const signedIn = ask("10.0.0.6", { path: "/api/clusters", cookie: cookieOf(newSession("local", null)) });
  const file = ask("10.0.0.6", { path: "/_next/static/chunks/a.js" });
  await until(() => expect([signedIn, file].every(({ isBegun }) => isBegun)).toBe(true));
  await until(() => expect(flood.filter(({ isBegun }) => isBegun)).toHaveLength(8));
  expect(flood.every(({ error }) => error === null)).toBe(true);
  for (const one of [signedIn, file, ...flood]) one.finish();
});

// In the turns of strangers, a few networks with slow requests let the kubelet's wait for longer than it does.
test("readiness doesn't wait for anyone's other requests", async () => {
  const flood = Array.from({ length: 64 }, (_, index) => ask(`10.1.0.${index}`, { path: "/api/sign-in" }));
  const ready = ask("10.1.0.0", { path: "/api/ready" });
  await until(() => expect(ready.isBegun).toBe(true));
  expect(flood.filter(({ isBegun }) => isBegun)).toHaveLength(8);
  for (const one of [ready, ...flood]) one.finish();
});

// In the turns of readiness, a few networks that ask for it while the cluster hangs let the kubelet wait for longer than it does, and it
// ends the pod.
test("health waits for nobody, however many networks ask whether the cluster answers", async () => {
  const flood = Array.from({ length: 64 }, (_, index) => ask(`10.2.0.${index}`, { path: "/api/ready" }));
  const health = ask("10.2.0.0", { path: "/api/health" });
  await until(() => expect(flood.filter(({ isBegun }) => isBegun)).toHaveLength(8));
  expect(health.isBegun).toBe(true);
  for (const one of [health, ...flood]) one.finish();
});

/** Looking at anyone takes 10 ms on the clock that measures short turns. */
async function withSlowLooks(): Promise<void> {
  await nextTurn();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

// Without inShortTurn (answer-turns.ts), 2,000 connections that write at once are all looked at in a turn or two, which takes seconds.
test("whoever asks is looked at in short turns, networks take turns in that, and readiness waits for none of it", async () => {
  await withSlowLooks();
  const looked: string[] = [];
  const askSlowly = (address: string, path = "/_next/static/chunks/a.js") => {
    const onLook = () => {
      vi.advanceTimersByTime(10);
      looked.push(address);
    };
    return ask(address, { path, onLook });
  };
  const flood = Array.from({ length: 20 }, () => askSlowly("10.0.0.1"));
  const [other, ready] = [askSlowly("10.0.0.2"), askSlowly("10.0.0.3", "/api/ready")];
  let before = 0;
  while (before < 21) {
    await nextTurn();
    expect(looked.length).toBe(before + 1);
    before = looked.length;
  }
  expect(looked.indexOf("10.0.0.2")).toBeLessThan(10);
  expect([ready.isBegun, ready.isLookedAt]).toEqual([true, false]);
  for (const one of [other, ready, ...flood]) one.finish();
});

/** In `token` mode, in front of a cluster that knows the token `ada`, and rejects `revoked`. */
async function withPeoplesTokens(): Promise<void> {
  await peoplesCluster("people", (token) => (token === "ada" ? "ada" : null));
  vi.stubEnv("CRDSHIFT_MODE", "token");
}

const cookieWith = (token: string) => cookieOf(newSession("token", { text: token, expiresAt: null }));

// As one person each, 60 sessions of one token kept everyone else waiting after a restart, until the cluster had confirmed it.
test("all sessions of a token take turns as one person, though the cluster hasn't confirmed it yet", async () => {
  await withPeoplesTokens();
  await confirmToken({ kind: "bearer", token: "ada" });
  const [first = expect.fail(), ...many] = Array.from({ length: 60 }, () => ask("10.0.0.8", { cookie: cookieWith("unconfirmed") }));
  const ada = ask("10.0.0.8", { cookie: cookieWith("ada") });
  await until(() => expect([first, ...many].filter(({ isBegun }) => isBegun)).toHaveLength(8));
  await until(() => expect(ada.isLookedAt).toBe(true));
  first.finish();
  await until(() => expect([first, ...many, ada].filter(({ isBegun }) => isBegun)).toHaveLength(9));
  expect(ada.isBegun).toBe(true);
  for (const page of [ada, ...many]) page.finish();
});

test("the sessions of a token that the cluster rejects take turns as strangers", async () => {
  await withPeoplesTokens();
  await expect(confirmToken({ kind: "bearer", token: "revoked" })).rejects.toMatchObject({ code: "unauthenticated" });
  const revoked = Array.from({ length: 16 }, () => ask("10.0.0.9", { cookie: cookieWith("revoked") }));
  const unconfirmed = ask("10.0.0.9", { cookie: cookieWith("unconfirmed") });
  const stranger = ask("10.0.0.9");
  await until(() => expect([unconfirmed.isBegun, revoked.filter(({ isBegun }) => isBegun).length]).toEqual([true, 8]));
  expect(stranger.isBegun).toBe(false);
  for (const page of [unconfirmed, stranger, ...revoked]) page.finish();
});

// Raced against the end of its turn, the failure was lost, and nothing closed the connection.
test("an answer that fails after its turn has ended still fails", async () => {
  const response = new EventEmitter() as Partial<ServerResponse> as ServerResponse;
  const request = { headers: {}, socket: { remoteAddress: "10.0.0.10" } } as Partial<IncomingMessage> as IncomingMessage;
  const failing = answerInTurn(request, response, "/", () => setTimeout(2_200).then(() => Promise.reject(new Error("too late"))));
  await expect(failing).rejects.toThrow("too late");
});
