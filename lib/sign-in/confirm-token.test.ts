import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { audienceOf, type Credentials, credentialsId } from "#lib/cluster/connection/credentials.ts";
import { peoplesCluster } from "#lib/cluster/testing/peoples-cluster.ts";
import { confirmedName, confirmToken, endOfReading, isRejected, keepConfirmed, leastKnown, noteConfirmed } from "./confirm-token.ts";

const bearer = (token: string): Credentials => ({ kind: "bearer", token });
const idOf = (token: string) => credentialsId(bearer(token));

/** The cluster has accepted this token before. */
function accept(context: string, token: string, name: string, expiresAt: number | null = null): void {
  noteConfirmed({ audience: audienceOf(context, idOf(token)), expiresAt }, name);
}

// If the oldest were forgotten first, whoever has a thousand tokens of their own would make crdshift forget everyone else's.
test.each([
  [
    "a token that the cluster hasn't accepted",
    "made-up",
    [
      ["ada", "ada", true],
      ["made-up", null, false],
      ["eve", "eve", true],
    ] as const,
  ],
  [
    "the oldest of the person with the most",
    "eve 1",
    [
      ["ada", "ada", true],
      ["eve 1", "eve", true],
      ["eve 2", "eve", true],
    ] as const,
  ],
  [
    "not someone whose name the cluster won't tell, however many such there are",
    "eve 1",
    [
      ["unnamed 1", null, true],
      ["unnamed 2", null, true],
      ["unnamed 3", null, true],
      ["eve 1", "eve", true],
      ["eve 2", "eve", true],
    ] as const,
  ],
  [
    "not a token that the cluster is still being asked about",
    "made-up",
    [
      ["new", null, null],
      ["made-up", null, false],
    ] as const,
  ],
  ["nothing, if there is nothing", "", []],
])("what is forgotten first is %s", (_, expected, known) => {
  expect(leastKnown(new Map(known.map(([audience, name, isTaken]) => [audience, { name, isTaken }])))).toBe(expected);
});

// With one limit for all tokens (remember in confirm-token.ts) a new one is forgotten while the cluster is asked. So it is asked again with
// each request, and other strangers push the new one's connection out.
test("a new token is remembered once the cluster accepts it, though it has accepted a thousand others", async () => {
  const asked = await peoplesCluster("crowded", (token) => (token === "new" ? "grace" : null));
  accept("crowded", "other", "ada");
  for (let index = 0; index < 999; index++) accept("crowded", `of eve ${index}`, "eve");
  expect([await confirmToken(bearer("new")), await confirmToken(bearer("new"))]).toEqual(["grace", "grace"]);
  expect(asked).toEqual(["new"]);
  expect([confirmedName(idOf("new")), confirmedName(idOf("of eve 0")), confirmedName(idOf("of eve 1"))]).toEqual(["grace", null, "eve"]);

  const connection = await connect("crowded", bearer("new"));
  for (let index = 0; index < 40; index++) await connect("crowded", bearer(`made-up-${index}`));
  expect(await connect("crowded", bearer("new"))).toBe(connection);
});

// Without a limit of their own (remember in confirm-token.ts) each made-up token takes the place of an accepted one.
test("made-up tokens push out none that the cluster has accepted, however many those are", async () => {
  await peoplesCluster("full", () => null);
  for (let index = 0; index < 1_000; index++) accept("full", `of ${index}`, `person ${index}`);
  for (const token of ["made-up-0", "made-up-1"])
    await expect(confirmToken(bearer(token))).rejects.toMatchObject({ code: "unauthenticated" });
  expect([isRejected(idOf("made-up-0")), isRejected(idOf("made-up-1")), confirmedName(idOf("of 0"))]).toEqual([true, true, "person 0"]);
});

const MINUTE_MS = 60_000;

// Without isOver (confirm-token.ts) those who use crdshift lose their tokens to those who have left.
test.each([
  ["have expired", MINUTE_MS, 2 * MINUTE_MS],
  ["nobody has used for eight hours", null, 8 * 60 * MINUTE_MS + 1],
])("tokens that %s make room for others", (_, validForMs, later) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const context = `left after ${later}`;
  for (let index = 0; index < 998; index++)
    accept(context, `left ${index}`, `person ${index}`, validForMs === null ? null : Date.now() + validForMs);
  vi.setSystemTime(Date.now() + later);
  for (const token of ["ada 1", "ada 2", "new"]) accept(context, token, token === "new" ? "grace" : "ada");
  expect(["left 0", "ada 1", "ada 2", "new"].map((token) => confirmedName(idOf(token)))).toEqual([null, "ada", "ada", "grace"]);
});

// Without FRESH_MS in isOver (confirm-token.ts) each request with such a token asks the cluster again.
test("a token that the cluster accepts after its expiry is remembered", async () => {
  const payload = Buffer.from(JSON.stringify({ exp: 1 })).toString("base64url");
  const token = `header.${payload}.signature`;
  const asked = await peoplesCluster("late", (name) => name);
  expect(await confirmToken(bearer(token))).toBe(token);
  accept("late", "other", "ada");
  expect(await confirmToken(bearer(token))).toBe(token);
  expect(asked).toEqual([token]);
});

// Without the name in `ask` (confirm-token.ts) each token counts as another person while their reviews are throttled: 200 tokens of one
// person take all places, and 16 all dry runs.
test("the tokens of one person stay that person's while the cluster answers no review, also through new connections", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  let isThrottled = false;
  const owners = (token: string) => (token.startsWith("eve") ? "eve" : token);
  await peoplesCluster("throttled", (token) => (isThrottled ? 429 : owners(token)));
  const said = new Set<unknown>();
  const sendAll = async () => {
    for (let index = 0; index < 205; index++) {
      vi.setSystemTime(Date.now() + 4_000);
      const token = bearer(`eve ${index}`);
      said.add(await confirmToken(token));
      const connection = await connect("throttled", token);
      keepConfirmed(connection);
      said.add(connection.person());
    }
  };
  await sendAll();
  isThrottled = true;
  await sendAll();
  expect([...said]).toEqual(["eve", "user eve"]);
  isThrottled = false;
  expect(await confirmToken(bearer("ada"))).toBe("ada");
});

// With its place checked as well, a ninth token ended the streams of the first, which had been pushed out.
test("whoever reads with a token that has no place any more reads to the end", async () => {
  vi.stubEnv("CRDSHIFT_MODE", "token");
  onTestFinished(() => void vi.unstubAllEnvs());
  await peoplesCluster("readers", () => "rita");
  const tokens = Array.from({ length: 9 }, (_, index) => `reader-${index}`);
  for (const token of tokens.slice(0, 8)) await confirmToken(bearer(token));
  const last = tokens[8] ?? "";
  await expect(confirmToken(bearer(last))).rejects.toMatchObject({ code: "too_many_requests" });
  const asks = new Request("http://localhost/api/clusters", { headers: { authorization: `Bearer ${last}` } });
  expect(await endOfReading(asks)).toBeNull();
});
