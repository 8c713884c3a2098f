import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { peoplesCluster } from "#lib/cluster/testing/peoples-cluster.ts";
import { confirmToken } from "#lib/sign-in/confirm-token.ts";
import { newSession, sessionCookies } from "#lib/sign-in/session/session.ts";
import { endSession } from "#lib/sign-in/session/signed-out.ts";
import { knownPerson, personOf } from "./known-person.ts";

const SCRIPT = "Bearer a-token-of-scripts-0123456789";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.stubEnv("CRDSHIFT_TOKEN", SCRIPT.slice("Bearer ".length));
  onTestFinished(() => void vi.unstubAllEnvs());
});

function ask(socket: Socket, headers: IncomingMessage["headers"]): string | null {
  return knownPerson({ headers: { host: "localhost", ...headers }, socket } as Partial<IncomingMessage> as IncomingMessage);
}

test("a connection is that of whoever is known and asked last, and of nobody before", () => {
  const socket = {} as Socket;
  expect([ask(socket, {}), personOf(socket)]).toEqual([null, null]);
  expect([ask(socket, { authorization: SCRIPT }), personOf(socket)]).toEqual(["script", "script"]);
  // A proxy sends others' requests on the same connection.
  expect([ask(socket, {}), personOf(socket)]).toEqual([null, "script"]);
});

const A_SECOND = 1_000;

// Where a connection stays known for as long as it is open (personOf in known-person.ts), so does one whose answer nobody reads to its end.
test("a connection is nobody's once the session is over, be it by time or by signing out", () => {
  const [left, timedOut] = [newSession("local", null), newSession("local", null)];
  const sockets = [left, timedOut].map((session) => {
    const socket = {} as Socket;
    const [cookie] = sessionCookies(new Request("http://localhost", { headers: { host: "localhost" } }), session);
    ask(socket, { cookie: cookie?.split(";")[0] });
    return socket;
  });
  vi.advanceTimersByTime(A_SECOND);
  expect(sockets.map(personOf)).toEqual([`session ${left.id}`, `session ${timedOut.id}`]);
  endSession(left);
  vi.advanceTimersByTime(A_SECOND);
  expect(sockets.map(personOf)).toEqual([null, `session ${timedOut.id}`]);
  vi.advanceTimersByTime(8 * 3_600_000);
  expect(sockets.map(personOf)).toEqual([null, null]);
});

// Taken for a stranger, their cancel waits with all who could pretend to be any number of people.
test("whoever the cluster accepts without a name is known by their token", async () => {
  await peoplesCluster("nameless", () => 403);
  vi.stubEnv("CRDSHIFT_MODE", "token");
  vi.stubEnv("CRDSHIFT_TOKEN", "");
  expect(await confirmToken({ kind: "bearer", token: "nameless-ada" })).toBeNull();
  expect(ask({} as Socket, { authorization: "Bearer nameless-ada" })).toMatch(/^token /);
});

/** In `token` mode, in front of a cluster that knows these tokens, each named after its owner. */
async function withPeoplesTokens(accepted: ReadonlySet<string>): Promise<void> {
  await peoplesCluster("people of connections", (token) => (accepted.has(token) ? token : null));
  vi.stubEnv("CRDSHIFT_MODE", "token");
  vi.stubEnv("CRDSHIFT_TOKEN", "");
}

test("a connection is nobody's once the cluster has rejected the token, until it accepts it again", async () => {
  const accepted = new Set(["ada"]);
  await withPeoplesTokens(accepted);
  const socket = {} as Socket;
  await confirmToken({ kind: "bearer", token: "ada" });
  expect(ask(socket, { authorization: "Bearer ada" })).toBe("user ada");
  accepted.clear();
  vi.advanceTimersByTime(30 * A_SECOND);
  expect(personOf(socket)).toBe("user ada");
  await expect(confirmToken({ kind: "bearer", token: "ada" })).rejects.toMatchObject({ code: "unauthenticated" });
  vi.advanceTimersByTime(A_SECOND);
  expect(personOf(socket)).toBeNull();
  accepted.add("ada");
  vi.advanceTimersByTime(30 * A_SECOND);
  await confirmToken({ kind: "bearer", token: "ada" });
  expect(personOf(socket)).toBe("user ada");
});

test("a connection is nobody's once the token's time is over, whether the cluster is asked about it or not", async () => {
  const token = `e30.${Buffer.from(JSON.stringify({ exp: Math.floor(Date.now() / 1_000) + 60 })).toString("base64url")}.e30`;
  await withPeoplesTokens(new Set([token]));
  await confirmToken({ kind: "bearer", token });
  const socket = {} as Socket;
  ask(socket, { authorization: `Bearer ${token}` });
  vi.advanceTimersByTime(58 * A_SECOND);
  expect(personOf(socket)).toBe(`user ${token}`);
  vi.advanceTimersByTime(3 * A_SECOND);
  expect(personOf(socket)).toBeNull();
});

// By the token alone, whoever has sessions of sixty tokens is sixty people after a restart, and pages never ask the cluster.
test("all of a person's sessions are that person's, also before the cluster has said whose their tokens are", async () => {
  await withPeoplesTokens(new Set());
  const people = ["one", "two"].map((token) => {
    const session = newSession("token", { text: `${token}-of-ada-0123456789`, expiresAt: null }, "ada");
    const [cookie] = sessionCookies(new Request("http://localhost", { headers: { host: "localhost" } }), session);
    return ask({} as Socket, { cookie: cookie?.split(";")[0] });
  });
  expect(people).toEqual(["user ada", "user ada"]);
});
