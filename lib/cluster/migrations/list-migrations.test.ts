import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { collectGarbage } from "#lib/process-wide/testing/collect-garbage.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { migrationFromJson, readMigrationList, readMigrationsOf } from "./list-migrations.ts";

const MB = 1_000_000;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** A connection to a cluster whose own engine has these migrations, which it lists in pages of at most so many, while it serves them. */
function connectionWith(all: readonly unknown[], { most = 500, serves = (): boolean => true } = {}): Promise<Connection> {
  return connectionTo(`migrations-${randomUUID()}`, (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/apis/storagemigration.k8s.io") || !serves()) {
      response.statusCode = 404;
      return response.end("{}");
    }
    if (pathname.endsWith(".k8s.io")) return response.end(JSON.stringify({ versions: [{ version: "v1" }] }));
    if (pathname.endsWith("/v1")) return response.end(JSON.stringify({ resources: [{ name: "storageversionmigrations" }] }));
    const [limit, from] = [Math.min(most, Number(query.get("limit"))), Number(query.get("continue"))];
    const next = from + limit < all.length && { continue: String(from + limit) };
    response.end(JSON.stringify({ metadata: { ...next }, items: all.slice(from, from + limit) }));
  });
}

test("what a migration says of itself turns no text, and a time beyond the year 9999 is none", () => {
  const migration = (lastTransitionTime: string) =>
    migrationFromJson("in-tree", {
      metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
      spec: { resource: { group: "example.com", resource: "crontabs" } },
      status: { conditions: [{ type: "Failed", status: "True", message: "\u202edenied", lastTransitionTime }] },
    });
  expect(migration("2026-01-02T12:00:01Z")).toMatchObject({ phase: "failed", message: "\uFFFDdenied", since: "2026-01-02T12:00:01Z" });
  expect(migration("10000-01-01T22:59:59Z")).toMatchObject({ phase: "failed", since: null });
});

// A definition of that name may allow them empty; reading all took 1.4 s.
test("half a million conditions hold nobody up", async () => {
  const json = {
    metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource: "crontabs" } },
    status: { conditions: [{ type: "Failed", status: "True", message: "denied" }, ...Array.from({ length: 500_000 }, () => ({}))] },
  };
  const { longest, result } = await whileWatched(async () => migrationFromJson("in-tree", json));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ phase: "failed", message: "denied" });
});

// Kept whole, the texts of 150 took 1.6 GB, and sending them 2.7 s.
test("texts of half a megabyte hold nobody up, and aren't kept", async () => {
  const [word, digits] = ["x".repeat(MB / 2), "0".repeat(MB / 2)];
  const lastTransitionTime = `2026-01-02T12:00:01.${digits}Z`;
  const all = Array.from({ length: 100 }, (_, index) => ({
    metadata: { name: `m-${index}`, uid: `u-${index}`, creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: word, resource: "crontabs" } },
    status: { conditions: [{ type: "Failed", status: "True", message: word, lastTransitionTime }] },
  }));
  const connection = await connectionWith(all, { most: 1 });
  const before = heapUsed();
  const { longest, result } = await whileWatched(async () => {
    const list = await readMigrationList(connection, AbortSignal.timeout(60_000));
    return { list, sent: await Response.json(list).text() };
  });
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result.sent.length).toBeLessThan(MB);
  expect(heapUsed() - before).toBeLessThan(20 * MB);
  const [first] = result.list.items;
  expect([result.list.items.length, first?.resource.length, first?.message.length, first?.since]).toEqual([100, 318, 1_001, null]);
});

// Without "incomplete" the page says that they couldn't be listed, above thousands, and that nobody knows if the cluster serves the API.
test("more migrations than anybody reads through are listed in part", async () => {
  const all = Array.from({ length: 20_001 }, (_, index) => ({
    metadata: { name: `m-${index}`, uid: `u-${index}`, creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource: "crontabs" } },
  }));
  const { apis, more } = await readMigrationList(await connectionWith(all), AbortSignal.timeout(60_000));
  expect(apis["in-tree"]).toEqual({ status: "incomplete", version: "v1", message: "There are more than 20,000." });
  expect(more).toBe(19_500);
});

// With the bound of the page's list, whoever may create migrations hides one at work behind twenty thousand others.
test("a migration that decides is found behind any number of others", async () => {
  const made = (name: string, resource: string) => ({
    metadata: { name, uid: name, creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource } },
    status: { conditions: [{ type: "Running", status: "True" }] },
  });
  const all = [...Array.from({ length: 25_000 }, (_, index) => made(`a-${index}`, "widgets")), made("z", "crontabs")];
  const connection = await connectionWith(all);
  const { migrations } = await readMigrationsOf(connection, "crontabs.example.com", AbortSignal.timeout(60_000));
  expect(migrations).toMatchObject([{ name: "z", phase: "running" }]);
});

// Without failedIfServedLately (list-migrations.ts) the Engines page says that the cluster serves no migrations, while one may run.
test("an API that another API server has served lately isn't told as one that the cluster doesn't serve", async () => {
  let serves = true;
  const connection = await connectionWith([], { serves: () => serves });
  const { apis } = await readMigrationList(connection, AbortSignal.timeout(60_000));
  expect(apis).toEqual({ "in-tree": { status: "served", version: "v1" }, openshift: { status: "not-served" } });
  serves = false;
  const message = "An API server answered that doesn't serve storagemigration.k8s.io.";
  const now = await readMigrationList(connection, AbortSignal.timeout(60_000));
  expect(now.apis).toEqual({ "in-tree": { status: "failed", message }, openshift: { status: "not-served" } });
});

// Two times parsed in each comparison of twenty thousand took a third of a second, in one turn of the event loop.
test("migrations are the newest first, though no time is parsed to compare them", async () => {
  const times = Array.from({ length: 1_000 }, (_, index) => new Date(1_000 * ((index * 7_919) % 1_000)).toISOString().replace(".000", ""));
  const all = times.map((creationTimestamp, index) => ({
    metadata: { name: `m-${index}`, uid: `u-${index}`, creationTimestamp },
    spec: { resource: { group: "example.com", resource: "crontabs" } },
  }));
  const connection = await connectionWith(all);
  const parsed = vi.spyOn(Date, "parse");
  onTestFinished(() => parsed.mockRestore());
  const [{ migrations }, { items }] = [
    await readMigrationsOf(connection, "crontabs.example.com", AbortSignal.timeout(60_000)),
    await readMigrationList(connection, AbortSignal.timeout(60_000)),
  ];
  expect(migrations.map(({ createdAt }) => createdAt)).toEqual(times.toSorted().reverse());
  expect(items.map(({ createdAt }) => createdAt)).toEqual(times.toSorted().reverse().slice(0, 500));
  expect(parsed.mock.calls.length).toBeLessThan(all.length);
});
