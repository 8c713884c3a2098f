import { expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseContexts, chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import type { ObjectCounts } from "#lib/contract/objects/object-counts.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { countInEtcd } from "./count-in-etcd.ts";

const bench = await openTestBench();
const { cluster, api, connection } = bench;

const read = async (definition: SampleDefinition) => (await readCrd(connection, definition.name, soon())).crd;

/** Every step of a count, as it was at that time. */
async function stepsOf(definition: SampleDefinition): Promise<ObjectCounts[]> {
  return Array.fromAsync(countObjects(connection, await read(definition), soon()));
}

const storedIn = (counts: ObjectCounts | undefined) => Object.fromEntries(counts?.versions.map(({ name, stored }) => [name, stored]) ?? []);
const exactly = (objects: number) => ({ atLeast: objects, atMost: objects, basis: "etcd" });
const noneKnown = (total: number) => ({ atLeast: 0, atMost: total, basis: "none" });

// With the first page alone (count-in-etcd.ts returning after it) the rest stays unknown.
test("counts exactly how far a rewrite has come, growing from bounds to numbers, and then goes through the list", async () => {
  const definition = await bench.stale(1_300);
  for (let index = 0; index < 400; index++) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  chooseEtcd(cluster.etcd);
  const steps = await stepsOf(definition);

  expect(await bench.storedAs(definition)).toEqual({ v1: 400, v1beta1: 900 });
  expect(storedIn(steps.at(-1))).toEqual({ v1: exactly(400), v1beta1: exactly(900) });
  expect(steps.at(-1)).toMatchObject({ total: 1_300, basis: "list", complete: true, message: null, etcd: { total: 1_300, read: 1_300 } });
  expect(steps.at(-1)?.versions).toMatchObject([{ managedFieldsAs: 0 }, { lastWrittenAs: 1_300 }]);

  const growing = steps.filter(({ scanned }) => scanned === 0);
  expect(growing.length).toBeGreaterThan(4);
  for (const { etcd, complete, versions } of growing) {
    const left = 1_300 - (etcd?.read ?? 0);
    expect(complete).toBe(false);
    for (const { stored, lastWrittenAs } of versions) {
      expect(stored).toEqual({ atLeast: expect.any(Number), atMost: (stored.atLeast ?? 0) + left, basis: "etcd" });
      expect(lastWrittenAs).toBeNull();
    }
  }
});

// With the proof's basis before etcd's (object-counts.ts, result) the stale value does not show.
test("shows a stale value over a valid proof, also in a version that nothing else names", async () => {
  const definition = await bench.stale(3);
  const stale = (await definition.storedValues(cluster.etcd)).get(objectName(1))?.text ?? "";
  await bench.rewrite(definition);
  chooseEtcd(cluster.etcd);
  expect(storedIn((await stepsOf(definition)).at(-1))).toEqual({ v1: exactly(3), v1beta1: exactly(0) });

  const key = (name: string) => `/registry/${definition.group}/widgets/default/${name}`;
  await putIntoEtcd(cluster.etcd, key(objectName(1)), stale);
  await putIntoEtcd(cluster.etcd, key(objectName(2)), stale.replaceAll("/v1beta1", "/v0").replaceAll(objectName(1), objectName(2)));
  const last = (await stepsOf(definition)).at(-1);
  expect(storedIn(last)).toEqual({ v1: exactly(1), v1beta1: exactly(1), v0: exactly(1) });
});

// Without the fallback (the catch in count-in-etcd.ts) the count fails; without the loop over endpoints the second one is never asked.
test("asks the next endpoint when one fails, and rests on the other bases, with the causes, when all do", async () => {
  const definition = await bench.stale(2);
  const gone = await tcpProxy(cluster.etcd.url);
  gone.cut({ refuse: true });
  chooseEtcd(cluster.etcd, { ENDPOINTS: `${gone.server},${cluster.etcd.url}` });
  expect(storedIn((await stepsOf(definition)).at(-1))).toEqual({ v1: exactly(0), v1beta1: exactly(2) });

  chooseEtcd(cluster.etcd, { ENDPOINTS: `${gone.server},${cluster.server}` });
  const [counts, ...more] = await stepsOf(definition);
  expect(more).toEqual([]);
  expect(storedIn(counts)).toEqual({ v1: noneKnown(2), v1beta1: noneKnown(2) });
  expect(counts).toMatchObject({ total: 2, basis: "list", complete: true, etcd: null });
  expect(counts?.message).toMatch(
    /^Can't read etcd, so these counts are based on the API server alone: .*127\.0\.0\.1.*; https.*self-signed/,
  );
});

// With an order of endpoints that never changes (etcd-client.ts) the one that fails is asked again for every page; without the revision
// (count-in-etcd.ts) the object that went meanwhile is missing.
test("goes on with the next endpoint, at the same revision, when one fails between two pages", async () => {
  const definition = await bench.stale(600);
  const first = await tcpProxy(cluster.etcd.url);
  chooseEtcd(cluster.etcd, { ENDPOINTS: `${first.server},${cluster.etcd.url}` });
  const counting = countInEtcd(await read(definition), soon());
  const before = await counting.next();
  first.cut({ refuse: true });
  await api.delete(definition.path("v1", { name: objectName(599) }));
  const opened = first.opened();
  const last = (await Array.fromAsync(counting)).at(-1);
  expect(before.value).toMatchObject({ kind: "growing", count: { total: 600 } });
  expect(last).toMatchObject({ kind: "complete", count: { total: 600 } });
  expect(last?.kind === "complete" && last.count.versions.get("v1beta1")?.objects).toBe(600);
  expect(first.opened() - opened).toBe(1);
});

// Without the caller's signal in the request (etcd-client.ts) it ends with the time-out of 10 s.
test("is cancelled within a second while etcd does not answer, with the signal's reason", async () => {
  const definition = await bench.stale(600);
  const proxy = await tcpProxy(cluster.etcd.url);
  chooseEtcd(cluster.etcd, { ENDPOINTS: proxy.server });
  const stop = new AbortController();
  const counting = countInEtcd(await read(definition), stop.signal);
  await counting.next();
  proxy.swallow();
  const next = counting.next();
  const reason = new Error("the reader left");
  const startedAt = performance.now();
  stop.abort(reason);
  await expect(next).rejects.toBe(reason);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  await expect.poll(() => proxy.open(), { interval: 20 }).toBe(0);
});

// With bounds only where the list gives a total (boundsInEtcd asked after storedBounds) these are unknown.
test("counts also those who may not list the objects, whose total stays denied", async () => {
  const definition = await bench.stale(2);
  const rules = [{ apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["list", "watch"] }];
  const reader = await restrictedUser(api, rules);
  await chooseContexts(cluster, { name: "reader of definitions", token: reader.token });
  chooseEtcd(cluster.etcd);
  const restricted = await connect("reader of definitions");
  const counts = (await Array.fromAsync(countObjects(restricted, await read(definition), soon()))).at(-1);
  fleetOf(restricted).stop();
  expect(counts).toMatchObject({ total: null, basis: "denied", message: expect.stringContaining("cannot list") });
  expect(storedIn(counts)).toEqual({ v1: exactly(0), v1beta1: exactly(2) });
});

// With /registry in place of the prefix (count-in-etcd.ts) the real objects are counted; with a definition that can't be read taken for
// another cluster's there is no message.
test("reads below the configured prefix, and says so where the definition itself can't be read there", async () => {
  const definition = await bench.stale(2);
  const put = (key: string, text: string) => putIntoEtcd(cluster.etcd, `/other-${definition.group}${key}`, text);
  const definitionKey = `/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`;
  await put(definitionKey, JSON.stringify(await definition.read()));
  await put(`/${definition.group}/widgets/default/one`, JSON.stringify({ apiVersion: `${definition.group}/v1` }));
  chooseEtcd(cluster.etcd, { PREFIX: `other-${definition.group}/` });
  expect(storedIn((await stepsOf(definition)).at(-1))).toEqual({ v1: exactly(1), v1beta1: exactly(0) });

  await put(definitionKey, "k8s:enc:aescbc:v1:key1:not for us");
  const [counts] = await stepsOf(definition);
  expect(counts).toMatchObject({ etcd: null, message: expect.stringContaining(`The value of ${definition.name} itself is encrypted`) });
});
