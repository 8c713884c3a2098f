import { expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { keepMigrations } from "./keep-migrations.ts";
import { findMigrationApi } from "./migration-apis.ts";

/** What the cluster's own engine has, whether that is all, and what an answer waits for. */
const cluster = vi.hoisted(() => ({
  ...{ items: [] as Migration[], isWhole: true, asOf: "", openshift: { status: "served" } },
  unlisted: { status: "incomplete", version: "v1", message: "There are more." },
  answers: Promise.resolve(),
}));

vi.mock("./list-migrations.ts", async (original) => ({
  ...(await original<object>()),
  readMigrationApis: async () => ({}),
  listMigrations: async () => {
    await cluster.answers;
    return {
      apis: {
        "in-tree": cluster.isWhole ? { status: "served", version: "v1" } : cluster.unlisted,
        openshift: cluster.openshift,
      },
      items: cluster.items,
      asOf: cluster.asOf,
    };
  },
}));

const migration = (uid: string, changes: Partial<Migration> = {}): Migration => ({
  ...{ engine: "in-tree", name: uid, uid, resource: "crontabs.example.com", phase: "running", message: "" },
  ...{ createdAt: "2026-01-02T12:00:00Z", since: null, runId: null },
  ...changes,
});

/** Follows them for whoever is viewing, until the test ends. */
function keep(options: Partial<Parameters<typeof keepMigrations>[0]>) {
  const stop = new AbortController();
  onTestFinished(() => stop.abort(new Error("the test has ended")));
  return keepMigrations({
    connection: { server: "https://here", person: () => "alice" } as Partial<Connection> as Connection,
    isWanted: () => true,
    onList() {},
    onEngines() {},
    signal: stop.signal,
    ...options,
  });
}

/** Follows them, and returns what makes it look at these, and resolves with the lists by resource. */
function looking() {
  const lists: ReadonlyMap<string, Migration[]>[] = [];
  const { refreshSoon } = keep({ onList: (byResource) => void lists.push(byResource) });
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

function fiveMinutesLater() {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 5 * 60_000);
  onTestFinished(() => clock.mockRestore());
}

// Without oldAt (missingLook) whoever asks every five minutes gets the migrations of five minutes ago.
test("a look that missed its turn, because nobody was viewing, is too old to answer with", async () => {
  let isViewed = true;
  const { missingLook } = keep({ isWanted: () => isViewed });
  await missingLook();
  expect(missingLook()).toBeNull();
  isViewed = false;
  fiveMinutesLater();
  const look = missingLook();
  expect(look).not.toBeNull();
  isViewed = true;
  await look;
  expect(missingLook()).toBeNull();
});

// Without engines() a list that failed is the same as one without migrations. With the status alone, a page keeps the first of two reasons;
// with an event for each look, every page wakes each five seconds.
test("what could be listed, and as of when, is told once for all definitions, and sent when it changes", async () => {
  const sent: unknown[] = [];
  const { refreshSoon, engines, missingLook } = keep({ onEngines: (now) => void sent.push(now["in-tree"].api) });
  expect(engines()).toEqual({ "in-tree": { api: null, asOf: null }, openshift: { api: null, asOf: null } });
  const look = async (asOf: string, isWhole: boolean) => {
    Object.assign(cluster, { items: [], isWhole, asOf });
    refreshSoon();
    await expect.poll(() => engines().openshift.asOf, { interval: 20 }).toBe(asOf);
    return engines()["in-tree"];
  };
  Object.assign(cluster, { items: [], isWhole: true, asOf: "1" });
  await missingLook();
  expect(await look("2", true)).toEqual({ api: { status: "served", version: "v1" }, asOf: "2" });
  const unlisted = { status: "failed", message: "busy" };
  Object.assign(cluster, { unlisted });
  expect(await look("3", false)).toEqual({ api: unlisted, asOf: "2" });
  expect(await look("4", false)).toMatchObject({ asOf: "2" });
  const gone = { status: "failed", message: "gone" };
  Object.assign(cluster, { unlisted: gone });
  expect(await look("5", false)).toMatchObject({ asOf: "2" });
  const incomplete = { status: "incomplete", version: "v1", message: "There are more." };
  Object.assign(cluster, { unlisted: incomplete });
  expect(await look("6", false)).toEqual({ api: incomplete, asOf: "6" });
  expect(await look("7", true)).toMatchObject({ asOf: "7" });
  const served = { status: "served", version: "v1" };
  expect(sent).toEqual([served, unlisted, gone, incomplete, served]);
});

// Without unread (told) the migrations of five minutes ago count as those of now; compared with `engines`, it stays told as not read.
test("while a look that missed its turn isn't answered, no engine counts as read, and once it is, that is sent", async () => {
  const sent: (string | undefined)[] = [];
  const { engines, missingLook } = keep({ onEngines: (now) => void sent.push(now["in-tree"].api?.status) });
  Object.assign(cluster, { items: [], isWhole: true, asOf: "1" });
  await missingLook();
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(cluster, { answers: promise, asOf: "2" });
  onTestFinished(() => void Object.assign(cluster, { answers: Promise.resolve() }));
  fiveMinutesLater();
  expect(engines()).toEqual({ "in-tree": { api: null, asOf: "1" }, openshift: { api: null, asOf: "1" } });
  const look = missingLook();
  resolve();
  await look;
  expect(engines()["in-tree"]).toEqual({ api: { status: "served", version: "v1" }, asOf: "2" });
  expect(sent).toEqual(["served", "served"]);
});

// Without unlistedApi it counts as not served, so as idle, although another API server of the cluster serves it.
test("an engine's API that was served lately, and isn't by the one that answers now, couldn't be read", async () => {
  const connection = await connectionTo("mixed-releases", (request, response) => {
    const isGroup = request.url?.endsWith("/migration.k8s.io");
    response.end(JSON.stringify(isGroup ? { versions: [{ version: "v1alpha1" }] } : { resources: [{ name: "storageversionmigrations" }] }));
  });
  await findMigrationApi(connection, "openshift", AbortSignal.timeout(10_000));
  Object.assign(cluster, { openshift: { status: "not-served" } });
  onTestFinished(() => void Object.assign(cluster, { openshift: { status: "served" } }));
  const { engines, missingLook } = keep({ connection });
  await missingLook();
  const message = "An API server answered that doesn't serve migration.k8s.io.";
  expect(engines().openshift).toEqual({ api: { status: "failed", message: expect.stringContaining(message) }, asOf: null });
});
