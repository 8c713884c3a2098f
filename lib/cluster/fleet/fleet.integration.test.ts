import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { listCrds } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { fleetTest, untilFinished } from "#lib/cluster/testing/fleet-test.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import { fleetOf } from "./fleet-of.ts";
import { listSummaries } from "./list-summaries.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(30_000);
const patient = { timeout: 40_000, interval: 50 };
const { directly, throughProxy, definitionWithObjects } = fleetTest(cluster, api);

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
      const held = sorted(fleetOf(connection).crds()).map((crd) => ({ ...crd, migrations: [], migrationsListed: false }));
      if (JSON.stringify(held) === JSON.stringify(listed)) return "equal";
      const differing = held.findIndex((crd, index) => JSON.stringify(crd) !== JSON.stringify(listed[index]));
      return { held: held[differing] ?? held.length, listed: listed[differing] ?? listed.length };
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
    const { name } = await definitionWithObjects(0);
    await expect.poll(() => fleet.crd(name), patient).not.toBeNull();
    const detail = () => readDetail(connection, name, soon());
    expect((await detail()).stale).toBe(false);
    const held = fleet.crds().length;

    proxy.cut({ refuse: true });
    await expect.poll(() => fleet.freshness().stale, patient).toBe(true);
    expect(fleet.freshness()).toMatchObject({
      since: expect.stringMatching(/^\d{4}-/),
      message: expect.stringContaining("can't be reached"),
    });
    expect(fleet.crds()).toHaveLength(held);
    expect(await detail()).toMatchObject({ stale: true, asOf: fleet.freshness().asOf });

    proxy.cut({ refuse: false });
    await expect.poll(() => fleet.freshness(), patient).toMatchObject({ stale: false, since: null, message: null });
  });

  test("says within twenty seconds that an API server hangs which keeps its connections open, and recovers by itself", async () => {
    const { proxy, connection } = await throughProxy();
    const fleet = fleetOf(connection);
    await fleet.listed(soon());
    onTestFinished(fleet.subscribe(() => {}));
    const definition = await definitionWithObjects(0);
    await expect.poll(() => fleet.crd(definition.name), patient).not.toBeNull();

    proxy.swallow();
    await expect.poll(() => fleet.freshness().stale, { timeout: 20_000, interval: 50 }).toBe(true);
    expect(fleet.freshness().message).toMatch(/didn't answer in time|can't be reached/);

    await definition.setVersions([{ name: "v1" }, { name: "v1beta1", storage: true }]);
    proxy.pass();
    await expect.poll(() => fleet.freshness(), { timeout: 60_000, interval: 50 }).toMatchObject({ stale: false, message: null });
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

  test("distrusts storedVersions that shrank without a proof, in every fleet of the cluster in this process, until the version is back", async () => {
    const definition = await createDefinition(api, [{ name: "v1" }, { name: "v1beta1", storage: true }]);
    onTestFinished(() => definition.remove());
    await definition.createObjects("v1beta1", 2);
    await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
    const connection = await directly();
    const detail = () => readDetail(connection, definition.name, soon());
    const counts = async () => {
      const crd = await readKnownCrd(connection, definition.name, soon());
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
    await chooseContexts(cluster, { name: "another" });
    const other = untilFinished(await connect("another"));
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

// Without the look at what is refused (start-fleet.ts) it asks again and again until no one has viewed it for ten minutes.
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
