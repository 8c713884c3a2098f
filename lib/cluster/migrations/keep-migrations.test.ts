import { expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { keepMigrations } from "./keep-migrations.ts";

/** What the cluster's own engine has, and whether that is all. */
const cluster = vi.hoisted(() => ({ items: [] as Migration[], isWhole: true }));

vi.mock("./list-migrations.ts", async (original) => ({
  ...(await original<object>()),
  readMigrationApis: async () => ({}),
  listMigrations: async () => ({
    apis: {
      "in-tree": cluster.isWhole ? { status: "served", version: "v1" } : { status: "failed", message: "There are more." },
      openshift: { status: "not-served" },
    },
    items: cluster.items,
  }),
}));

const migration = (uid: string, changes: Partial<Migration> = {}): Migration => ({
  ...{ engine: "in-tree", name: uid, uid, resource: "crontabs.example.com", phase: "running", message: "" },
  ...{ createdAt: "2026-01-02T12:00:00Z", since: null, runId: null },
  ...changes,
});

/** Follows them, and returns what makes it look at these, and resolves with the lists by resource. */
function looking() {
  const stop = new AbortController();
  onTestFinished(() => stop.abort(new Error("the test has ended")));
  const lists: ReadonlyMap<string, Migration[]>[] = [];
  const { refreshSoon } = keepMigrations({
    connection: { server: "https://here", person: () => "alice" } as Partial<Connection> as Connection,
    isWanted: () => true,
    onList: (byResource) => void lists.push(byResource),
    signal: stop.signal,
  });
  return async (items: Migration[], isWhole = true) => {
    Object.assign(cluster, { items, isWhole });
    const before = lists.length;
    refreshSoon();
    await expect.poll(() => lists.length, { interval: 20 }).toBeGreaterThan(before);
    return lists.at(-1);
  };
}

// With those that are known added to those that a list still has (look), each look at 20,001 migrations keeps 20,000 more in memory.
test("a list that isn't whole adds what it has once, and keeps what it lacks", async () => {
  const look = looking();
  const next = async (items: string[], isWhole: boolean) => {
    const lists = await look(
      items.map((uid) => migration(uid)),
      isWhole,
    );
    return [...(lists?.values() ?? [])].flat().map(({ uid }) => uid);
  };
  expect(await next(["one", "two"], true)).toEqual(["one", "two"]);
  expect(await next(["two", "three"], false)).toEqual(["two", "three", "one"]);
  expect(await next(["two", "three"], false)).toEqual(["two", "three", "one"]);
  expect(await next(["two"], true)).toEqual(["two"]);
});

// Whoever takes them compared twenty thousand with those before, field by field, in one turn of the event loop, every five seconds.
test("the list of a resource stays the same one until something in it changes", async () => {
  const look = looking();
  const other = { resource: "widgets.example.com" };
  const [crontabs, widgets] = ["crontabs.example.com", "widgets.example.com"];
  const first = await look([migration("one"), migration("two"), migration("three", other)]);
  const same = await look([migration("one"), migration("two"), migration("three", other)]);
  expect(same?.get(crontabs)).toBe(first?.get(crontabs));
  expect(same?.get(widgets)).toBe(first?.get(widgets));
  const changed = await look([migration("one", { phase: "succeeded" }), migration("two"), migration("three", other)]);
  expect(changed?.get(crontabs)).not.toBe(first?.get(crontabs));
  expect(changed?.get(crontabs)?.map(({ phase }) => phase)).toEqual(["succeeded", "running"]);
  expect(changed?.get(widgets)).toBe(first?.get(widgets));
  const fewer = await look([migration("two")]);
  expect([fewer?.get(crontabs), fewer?.get(widgets)]).toEqual([[migration("two")], undefined]);
});
