import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { type Connection, connect } from "#lib/cluster/connection/connection.ts";
import { listCrds, readCrd, writeRecord } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { knownCrd } from "#lib/cluster/history/read-runs.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleRecord, sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { TAKE_OVER_AFTER_MS } from "#lib/domain/rewrite/run.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { fleetOf } from "./fleet.ts";
import { listSummaries } from "./list-summaries.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const cluster = workerCluster();
const soon = () => AbortSignal.timeout(30_000);
const patient = { timeout: 40_000, interval: 50 };
let api: ApiClient;

beforeAll(() => {
  api = apiClient(cluster);
});
afterAll(() => api.close());

async function directly(): Promise<Connection> {
  await chooseContexts(cluster, { name: "directly" });
  return untilFinished(await connect("directly"));
}

async function throughProxy() {
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "proxied", server: proxy.server });
  return { proxy, connection: untilFinished(await connect("proxied")) };
}

// What one fleet has seen every other of the process knows: one that lived on would tell it to later tests.
function untilFinished(connection: Connection): Connection {
  onTestFinished(() => fleetOf(connection).stop());
  return connection;
}

async function definitionWithObjects(count: number): Promise<SampleDefinition> {
  const definition = await createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  onTestFinished(() => definition.remove());
  await definition.createObjects("v1", count);
  return definition;
}

/** Creates, changes and deletes definitions; half of them are left until the test ends. */
async function manyChanges(): Promise<void> {
  const made = await Promise.all(
    Array.from({ length: 16 }, () => createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }])),
  );
  await Promise.all(made.map(({ name }) => api.mergePatch(`${definitions}/${name}`, { metadata: { labels: { round: "1" } } })));
  await Promise.all(made.map((one) => one.setVersions([{ name: "v1" }, { name: "v1beta1", storage: true, deprecated: true }])));
  await Promise.all(made.slice(0, 8).map((one) => one.remove()));
  onTestFinished(async () => void (await Promise.all(made.slice(8).map((one) => one.remove()))));
}

const sorted = (crds: Crd[]) => crds.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** What the fleet holds becomes, in every field, what a fresh list says. */
async function expectFleetToEqualAFreshList(connection: Connection): Promise<void> {
  const fresh = await directly();
  await expect
    .poll(async () => {
      const pages = await Array.fromAsync(listCrds(fresh, soon()));
      const listed = sorted(pages.flatMap(({ crds }) => crds));
      // What other engines do is no part of a definition.
      const held = sorted(fleetOf(connection).crds()).map((crd) => ({ ...crd, migrations: [], migrationsTold: false }));
      return JSON.stringify(held) === JSON.stringify(listed) ? "equal" : `holds ${held.length}, the list has ${listed.length}`;
    }, patient)
    .toBe("equal");
}

describe("the fleet", () => {
  test("equals a fresh list after many changes", async () => {
    const connection = await directly();
    await fleetOf(connection).listed(soon());
    await manyChanges();
    await expectFleetToEqualAFreshList(connection);
  });

  test("equals a fresh list after its connections were cut while much changed", async () => {
    const { proxy, connection } = await throughProxy();
    await fleetOf(connection).listed(soon());
    proxy.cut({ refuse: true });
    await manyChanges();
    proxy.cut({ refuse: false });
    await expectFleetToEqualAFreshList(connection);
  });

  test("says that it is out of date, since when and why, while the API server is away, and that it is not once it is back", async () => {
    const { proxy, connection } = await throughProxy();
    const fleet = fleetOf(connection);
    await fleet.listed(soon());
    await expect.poll(() => fleet.status().stale).toBe(false);
    const held = fleet.crds().length;

    proxy.cut({ refuse: true });
    await expect.poll(() => fleet.status().stale, patient).toBe(true);
    expect(fleet.status()).toMatchObject({ since: expect.stringMatching(/^\d{4}-/), message: expect.stringContaining("can't be reached") });
    expect(fleet.crds()).toHaveLength(held);

    proxy.cut({ refuse: false });
    await expect.poll(() => fleet.status(), patient).toMatchObject({ stale: false, since: null, message: null });
  });

  test("says within twenty seconds that an API server hangs which keeps its connections open, and recovers by itself", async () => {
    const { proxy, connection } = await throughProxy();
    const fleet = fleetOf(connection);
    await fleet.listed(soon());
    onTestFinished(fleet.subscribe(() => {}));
    const definition = await definitionWithObjects(0);
    await expect.poll(() => fleet.crd(definition.name), patient).not.toBeNull();

    proxy.swallow();
    await expect.poll(() => fleet.status().stale, { timeout: 20_000, interval: 50 }).toBe(true);
    expect(fleet.status().message).toMatch(/didn't answer in time|can't be reached/);

    await definition.setVersions([{ name: "v1" }, { name: "v1beta1", storage: true }]);
    proxy.pass();
    await expect.poll(() => fleet.status(), { timeout: 60_000, interval: 50 }).toMatchObject({ stale: false, message: null });
    await expect.poll(() => fleet.crd(definition.name)?.storedVersions, patient).toEqual(["v1", "v1beta1"]);
  });

  test("stays up to date without a word of those who may not ask whether it lives", async () => {
    const reader = await restrictedUser(api, [
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ]);
    await chooseContexts(cluster, { name: "reader", token: reader.token });
    const fleet = fleetOf(untilFinished(await connect("reader")));
    await fleet.listed(soon());
    const events: ServerEvent[] = [];
    onTestFinished(fleet.subscribe((event) => void events.push(event)));
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect(events.filter(({ event }) => event === "status")).toEqual([]);
  });

  test("distrusts storedVersions that shrank without a proof, in every fleet of this process, until the version is back", async () => {
    const definition = await createDefinition(api, [{ name: "v1" }, { name: "v1beta1", storage: true }]);
    onTestFinished(() => definition.remove());
    await definition.createObjects("v1beta1", 2);
    await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
    const connection = await directly();
    const detail = () => readDetail(connection, definition.name, soon());
    const counts = async () => {
      const crd = await knownCrd(connection, definition.name, soon());
      return (await Array.fromAsync(countObjects(connection, crd, soon()))).at(-1)?.versions.map(({ stored }) => stored);
    };
    const setStored = (...storedVersions: string[]) =>
      api.mergePatch(`${definitions}/${definition.name}`, { status: { storedVersions } }, { subresource: "status" });
    await expect.poll(async () => (await detail()).leftoverVersions, patient).toEqual(["v1beta1"]);

    await setStored("v1");
    const distrusted = { state: "blocked", stateReason: expect.stringContaining("v1beta1 was removed from status.storedVersions without") };
    await expect.poll(detail, patient).toMatchObject({ ...distrusted, storedVersions: ["v1"], shrankWithoutProof: ["v1beta1"] });
    expect(await counts()).toEqual([
      { atLeast: 0, atMost: 2, basis: "none" },
      { atLeast: 0, atMost: 2, basis: "none" },
    ]);
    // Another fleet, which begins only now, knows it from what this process has seen.
    const { connection: other } = await throughProxy();
    expect(await readDetail(other, definition.name, soon())).toMatchObject(distrusted);
    // It would hear of what follows in a time of its own.
    fleetOf(other).stop();

    await setStored("v1beta1", "v1");
    await expect.poll(detail, patient).toMatchObject({ state: "needs-rewrite", shrankWithoutProof: [] });
    await setStored("v1");
    await expect.poll(detail, patient).toMatchObject(distrusted);
    fleetOf(connection).stop();
    expect(await detail()).toMatchObject({ state: "current", shrankWithoutProof: [] });
  });

  test("that can't be listed says why, and is listed on the next view after the problem is fixed", async () => {
    const { proxy, connection } = await throughProxy();
    proxy.cut({ refuse: true });
    await expect(fleetOf(connection).listed(soon())).rejects.toMatchObject({ code: "cluster_unreachable" });
    proxy.cut({ refuse: false });
    await expect.poll(() => listSummaries(connection, soon()).then(({ items }) => items.length, String), patient).toBeGreaterThanOrEqual(0);
  });

  test("is denied to those who may not list definitions, with the cluster's words", async () => {
    const nobody = await restrictedUser(api, []);
    await chooseContexts(cluster, { name: "nobody", token: nobody.token });
    const listing = fleetOf(untilFinished(await connect("nobody"))).listed(soon());
    await expect(listing).rejects.toMatchObject({
      code: "forbidden",
      clusterMessage: expect.stringContaining(`User "${nobody.name}" cannot list`),
      details: { definitionsDenied: { verb: "list", user: nobody.name } },
    });
  });

  test("of one context is not the fleet of another", async () => {
    const admin = await directly();
    const nobody = await restrictedUser(api, []);
    await chooseContexts(cluster, { name: "nobody", token: nobody.token });
    const other = untilFinished(await connect("nobody"));
    await fleetOf(admin).listed(soon());
    await expect(fleetOf(other).listed(soon())).rejects.toMatchObject({ code: "forbidden" });
    expect(fleetOf(other).crds()).toEqual([]);
  });
});

// Without the look at what is refused (fleet.ts) it asks again and again until no one has viewed it for ten minutes.
test("the fleet of a person's token ends as soon as its watch is refused, and says so to those who look", async () => {
  const user = await restrictedUser(api, [
    { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
  ]);
  const proxy = await tcpProxy(cluster.server);
  await chooseContexts(cluster, { name: "person", server: proxy.server });
  const fleet = fleetOf(untilFinished(await connect("person", { kind: "bearer", token: user.token })));
  await fleet.listed(soon());
  const events: ServerEvent[] = [];
  onTestFinished(fleet.subscribe((event) => void events.push(event)));
  expect(fleet.hasEnded()).toBe(false);
  await user.revoke();
  proxy.cut({ refuse: false });
  await expect.poll(() => fleet.hasEnded(), patient).toBe(true);
  expect(events.at(-1)).toMatchObject({ event: "status", data: { stale: true, message: "The cluster rejected your token." } });
});

describe("those who look at the fleet", () => {
  async function subscribed(connection: Connection) {
    const fleet = fleetOf(connection);
    await fleet.listed(soon());
    const events: ServerEvent[] = [];
    onTestFinished(fleet.subscribe((event) => void events.push(event)));
    const last = (name: string) => events.findLast((event) => event.event === "crd" && event.data.item.name === name)?.data;
    return { fleet, events, last };
  }

  test("are told of definitions that come, change and go", async () => {
    const { last } = await subscribed(await directly());
    const definition = await createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
    await expect.poll(() => last(definition.name), patient).toMatchObject({ type: "upserted", item: { state: "current" } });
    await definition.setVersions([{ name: "v1" }, { name: "v1beta1", storage: true }]);
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "needs-rewrite", leftoverVersions: ["v1"] } });
    await definition.remove();
    await expect.poll(() => last(definition.name), patient).toEqual({ type: "deleted", item: { name: definition.name } });
  });

  test("get the number of objects of a definition with its basis, and its time", async () => {
    const definition = await definitionWithObjects(3);
    // A fleet that begins now: one that has counted already counts again only after a minute.
    const { fleet } = await subscribed((await throughProxy()).connection);
    await expect
      .poll(() => fleet.total(definition.name), patient)
      .toMatchObject({ total: 3, basis: "list", asOf: expect.stringMatching(/^\d{4}-/) });
  });

  // Without the look at the uid (keep-totals.ts) the old number stays for a minute.
  test("don't get the number of objects of a definition that was deleted and created again while it was counted", async () => {
    const old = await createDefinition(api, [{ name: "v1", storage: true }]);
    await old.createObjects("v1", 3);
    const proxy = await faultProxy(cluster);
    const counting = proxy.hold(({ path }) => path.startsWith(`${old.path("v1")}?`), "after");
    await chooseContexts(cluster, { name: "counting", server: proxy.server });
    const { fleet } = await subscribed(untilFinished(await connect("counting")));
    await counting.reached;
    await old.remove();
    await expect.poll(() => fleet.crd(old.name), patient).toBeNull();
    const anew = await createDefinition(api, [{ name: "v1", storage: true }], { group: old.group });
    onTestFinished(() => anew.remove());
    await expect.poll(() => fleet.crd(anew.name), patient).not.toBeNull();
    counting.release();
    await expect.poll(() => fleet.total(anew.name), patient).toMatchObject({ total: 0, basis: "list" });
  });

  test("get denied, not zero, for objects that they may not list", async () => {
    const definition = await definitionWithObjects(3);
    const reader = await restrictedUser(api, [
      { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] },
    ]);
    await chooseContexts(cluster, { name: "reader", token: reader.token });
    const { fleet } = await subscribed(untilFinished(await connect("reader")));
    await expect
      .poll(() => fleet.total(definition.name), patient)
      .toMatchObject({ total: null, basis: "denied", message: expect.stringContaining("cannot list") });
  });

  // Without the announcement of a run that is no longer live (fleet.ts) it stays rewriting. The run had changed objects, and proved nothing.
  test("are told when a run's holder falls silent, though nothing is written then", async () => {
    const connection = await directly();
    const definition = await definitionWithObjects(0);
    const { last } = await subscribed(connection);
    const run = sampleRun({ crd: definition.name, renewedAt: new Date().toISOString() });
    const { crd } = await readCrd(connection, definition.name, soon());
    await writeRecord(connection, crd, sampleRecord({ holder: "a process that was killed", runs: [run] }), soon());
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "rewriting" } });
    // The fleet looks for live runs every second; timers of one process fire in their order, however busy it is.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.parse(run.renewedAt) + TAKE_OVER_AFTER_MS + 1_000);
    onTestFinished(() => clock.mockRestore());
    await expect.poll(() => last(definition.name), patient).toMatchObject({ item: { state: "blocked", activeRun: null } });
  });
});
