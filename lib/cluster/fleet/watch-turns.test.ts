import { expect, onTestFinished, test, vi } from "vitest";
import { countTurns } from "#lib/async/testing/count-turns.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { answerTogether } from "#lib/cluster/testing/answer-together.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { type CrdChange, watchCrds } from "./watch-crds.ts";

const soon = () => AbortSignal.timeout(60_000);

interface Event {
  type: "MODIFIED" | "DELETED" | "BOOKMARK";
  resourceVersion: string;
  /** The length of the definition's longest text. */
  size?: number;
}

function lineOf({ type, resourceVersion, size = 0 }: Event): string {
  const metadata = { name: "things.example.com", uid: "u", resourceVersion };
  const names = { plural: "things", kind: "Thing" };
  const example = { type: "object", description: "x".repeat(size) };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: example } }];
  return `${JSON.stringify({ type, object: { metadata, spec: { group: "example.com", scope: "Namespaced", names, versions } } })}\n`;
}

/** Watches so many times, all of which get the events at once, and returns what each tells. */
async function watchedBy(count: number, events: Event[]): Promise<CrdChange[][]> {
  const text = events.map(lineOf).join("");
  const connection = await connectionTo(
    `watched by ${count}`,
    answerTogether(count, (response) => response.end(text)),
  );
  const changes = (on: Connection) => Array.fromAsync(watchCrds(on, { resourceVersion: "1", signal: soon(), onOpen() {} }));
  return Promise.all(Array.from({ length: count }, () => changes(connection)));
}

const READ_MS = 5;

/** Makes each definition take 5 ms to be read from JSON. Returns in which turn of the event loop each was read. */
function slowReads(): number[] {
  const turn = countTurns();
  const turns: number[] = [];
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    const value = parse(text, reviver);
    const spec = value.object?.spec;
    if (!spec) return value;
    const get = () => {
      turns.push(turn());
      for (const until = performance.now() + READ_MS; performance.now() < until; );
      return spec;
    };
    return { ...value, object: Object.defineProperty({ ...value.object }, "spec", { get }) };
  });
  onTestFinished(() => spy.mockRestore());
  return turns;
}

/** The most that 10 ms are enough for, before and after the counter's own part of a turn. */
const MOST_IN_TURN = 2 * (10 / READ_MS);

/** How many definitions were read in the turn in which most were. */
function mostInTurn(turns: number[]): number {
  return Math.max(...[...Map.groupBy(turns, (turn) => turn).values()].map(({ length }) => length));
}

// Without inShortTurn (watch-crds.ts), all forty are read in the turn in which they arrive.
test("a change that forty watches tell at once is read in many turns", async () => {
  const turns = slowReads();
  const told = await watchedBy(40, [{ type: "MODIFIED", resourceVersion: "2" }]);
  expect(told.flat().map(({ type }) => type)).toEqual(Array(40).fill("upserted"));
  expect(turns).toHaveLength(40);
  expect(mostInTurn(turns)).toBeLessThanOrEqual(MOST_IN_TURN);
});

// Without it, a chunk is read in one turn, too.
test("forty changes that one watch tells at once are read in many turns", async () => {
  const turns = slowReads();
  const events = Array.from({ length: 40 }, (_, index): Event => ({ type: "MODIFIED", resourceVersion: `${index + 2}` }));
  const [told = []] = await watchedBy(1, events);
  expect(told.map(({ resourceVersion }) => resourceVersion)).toEqual(events.map(({ resourceVersion }) => resourceVersion));
  expect(mostInTurn(turns)).toBeLessThanOrEqual(MOST_IN_TURN);
});

// A long one waits for more turns than the short ones after it.
test("each watch tells its changes in their order, whichever of them are long", async () => {
  slowReads();
  const events: Event[] = [
    { type: "MODIFIED", resourceVersion: "2" },
    { type: "MODIFIED", resourceVersion: "3", size: 200_000 },
    { type: "BOOKMARK", resourceVersion: "4" },
    { type: "MODIFIED", resourceVersion: "5" },
    { type: "DELETED", resourceVersion: "6" },
    { type: "MODIFIED", resourceVersion: "7", size: 300_000 },
    { type: "MODIFIED", resourceVersion: "8", size: 100_000 },
  ];
  const types = { MODIFIED: "upserted", DELETED: "deleted", BOOKMARK: "bookmark" };
  const inOrder = events.map(({ type, resourceVersion }) => `${types[type]} at ${resourceVersion}`);
  const told = await watchedBy(10, events);
  expect(told.map((one) => one.map(({ type, resourceVersion }) => `${type} at ${resourceVersion}`))).toEqual(Array(10).fill(inOrder));
});

// Without throwIfAborted (watch-crds.ts), it tells the rest of a chunk after its end.
test("a watch that ends while a change waits for its turn doesn't tell it", async () => {
  slowReads();
  const stop = new AbortController();
  const reason = new Error("nobody is viewing any more");
  const text = [2, 3, 4, 5].map((version) => lineOf({ type: "MODIFIED", resourceVersion: `${version}` })).join("");
  const connection = await connectionTo("ends", (_, response) => void response.write(text));
  const told: string[] = [];
  const watch = async () => {
    for await (const change of watchCrds(connection, { resourceVersion: "1", signal: stop.signal, onOpen() {} })) {
      told.push(change.resourceVersion);
      // Two of these take the 10 ms of a turn: the third or the fourth waits by then.
      if (told.length === 2) process.nextTick(() => stop.abort(reason));
    }
  };
  await expect(watch()).rejects.toBe(reason);
  expect(told).not.toContain("5");
});
