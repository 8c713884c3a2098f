import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { noticedRestore } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import type { Fleet } from "./fleet.ts";
import { fleetOf } from "./fleet-of.ts";

const name = "widgets.example.com";
const stateOf = (generation: number, resourceVersion: string) => ({
  metadata: { name, uid: "u", generation, resourceVersion },
  spec: {
    ...{ group: "example.com", scope: "Namespaced", names: { plural: "widgets", kind: "Widget" } },
    versions: [{ name: "v1", served: true, storage: true }],
  },
  status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }] },
});

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => void vi.restoreAllMocks());

/** A viewed fleet, and what its cluster lists and tells its watch. */
async function viewed(cluster: string) {
  const told = { tell: null as ((object: unknown) => void) | null };
  const api = { ...told, items: [stateOf(3, "1000")], listedAt: "1010", lists: 0, denied: "" };
  const connection = await connectionTo(cluster, (request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.endsWith(name)) return response.end(JSON.stringify(api.items[0]));
    if (!pathname.endsWith("/customresourcedefinitions")) return response.writeHead(404).end("{}");
    if (request.headers.authorization === api.denied) return response.writeHead(403).end("{}");
    if (query.has("watch")) {
      response.writeHead(200).flushHeaders();
      response.on("close", () => void Object.assign(api, { tell: null }));
      api.tell = (object) => void response.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
      return;
    }
    if (query.get("limit") !== "1") api.lists += 1;
    response.end(JSON.stringify({ metadata: { resourceVersion: api.listedAt }, items: api.items }));
  });
  const fleet: Fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  fleet.subscribe(() => {});
  const tell = async (object: unknown) => {
    await expect.poll(() => api.tell).not.toBeNull();
    api.tell?.(object);
  };
  await tell(api.items[0]);
  return { api, tell, connection, fleet };
}

/** Has the fleet list what a restored etcd holds. */
async function restore(
  { api, fleet }: Awaited<ReturnType<typeof viewed>>,
  to: ReturnType<typeof stateOf>,
  listedAt: string,
): Promise<void> {
  Object.assign(api, { items: [to], listedAt });
  fleet.listAgain();
  await expect.poll(() => fleet.lastSeen(name), { timeout: 10_000 }).toMatchObject({ generation: to.metadata.generation });
}

/** Another fleet of the cluster, which has listed it. */
async function anothers(connection: Connection, authorization: string): Promise<Fleet> {
  const fleet = fleetOf({ ...connection, authHeaders: async () => ({ authorization }) });
  onTestFinished(() => fleet.stop());
  fleet.subscribe(() => {});
  await fleet.listed(AbortSignal.timeout(10_000));
  return fleet;
}

// Without listAgain (upsert of start-fleet.ts), nobody lists again before the watch ends, after minutes.
test("a watch that tells of an earlier generation has the definitions listed, and the restore is noticed", async () => {
  const { api, tell, connection, fleet } = await viewed("told-by-its-watch");
  const restored = stateOf(2, "1000001000");
  Object.assign(api, { items: [restored], listedAt: "1000001010" });
  await tell(restored);
  await expect.poll(() => fleet.lastSeen(name), { timeout: 10_000 }).toMatchObject({ generation: 2 });
  expect(noticedRestore(connection)).toMatchObject({ to: "0" });
  const { lists } = api;
  await tell(stateOf(3, "1000001020"));
  await expect.poll(() => fleet.lastSeen(name), { timeout: 10_000 }).toMatchObject({ generation: 3 });
  expect([lists, api.lists]).toEqual([2, 2]);
});

// Taken (beginRead of start-fleet.ts), it passes for the newest state, and everything that the watch tells counts as older.
test("a read that began before a restore was noticed, and ends afterwards, isn't taken", async () => {
  const cluster = await viewed("read-late");
  const { connection, fleet } = cluster;
  const soon = AbortSignal.timeout(30_000);
  const note = fleet.beginRead();
  const { crd } = await readCrd(connection, name, soon);
  await restore(cluster, stateOf(2, "800"), "810");
  note(crd);
  expect([fleet.lastSeen(name), fleet.lastKnown(name)]).toMatchObject([{ generation: 2 }, { generation: 2 }]);
  await cluster.tell(stateOf(3, "820"));
  await expect.poll(() => fleet.lastSeen(name)).toMatchObject({ resourceVersion: "820" });
  const again = fleet.beginRead();
  again({ ...crd, resourceVersion: "830" });
  expect(fleet.lastSeen(name)).toMatchObject({ resourceVersion: "830" });
});

// Without listDenied (start-fleet.ts), it takes nothing until resourceVersions pass those from before, and its writes count as older.
test("a fleet that may not list any more after a restore takes the definitions as they are read", async () => {
  const cluster = await viewed("denied-since");
  const { api, connection } = cluster;
  const denied = await anothers(connection, "granted since the backup");
  api.denied = "granted since the backup";
  await restore(cluster, stateOf(2, "800"), "810");
  await expect.poll(() => denied.freshness().denied, { timeout: 10_000 }).toBe(true);
  // Without retell (start-fleet.ts), what it knew from before the restore becomes the newest.
  const known = denied.lastSeen(name);
  if (known) denied.noteCrd(known);
  expect([known, denied.lastKnown(name)]).toMatchObject([{ generation: 3 }, { generation: 2 }]);
  const note = denied.beginRead();
  note((await readCrd(connection, name, AbortSignal.timeout(10_000))).crd);
  expect(denied.lastSeen(name)).toMatchObject({ generation: 2 });
});
