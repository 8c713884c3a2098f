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

const migration = (uid: string): Migration => ({
  ...{ engine: "in-tree", name: uid, uid, resource: "crontabs.example.com", phase: "running", message: "" },
  ...{ createdAt: "2026-01-02T12:00:00Z", since: null, runId: null },
});

// With those that are known added to those that a list still has (look), each look at 20,001 migrations keeps 20,000 more in memory.
test("a list that isn't whole adds what it has once, and keeps what it lacks", async () => {
  const stop = new AbortController();
  onTestFinished(() => stop.abort(new Error("the test has ended")));
  const lists: string[][] = [];
  const { refreshSoon } = keepMigrations({
    connection: {} as Partial<Connection> as Connection,
    isWanted: () => true,
    onList: (byResource) => void lists.push([...byResource.values()].flat().map(({ uid }) => uid)),
    signal: stop.signal,
  });
  const next = async (items: string[], isWhole: boolean) => {
    Object.assign(cluster, { items: items.map(migration), isWhole });
    const before = lists.length;
    refreshSoon();
    await expect.poll(() => lists.length, { interval: 20 }).toBeGreaterThan(before);
    return lists.at(-1);
  };
  expect(await next(["one", "two"], true)).toEqual(["one", "two"]);
  expect(await next(["two", "three"], false)).toEqual(["two", "three", "one"]);
  expect(await next(["two", "three"], false)).toEqual(["two", "three", "one"]);
  expect(await next(["two"], true)).toEqual(["two"]);
});
