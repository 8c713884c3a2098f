import { expect } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { faultTest, listOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const OBJECTS = 40;
const ONE = objectName(17);

// With the first pass taken for the proof (rewrite-until-proven.ts) it ends succeeded with that object stored as v1beta1.
faultTest("an object that the first list hides is found by the verification", async ({ stale, proxy, rewrite, storedAs }) => {
  const definition = await stale(OBJECTS);
  const hide = (body: string) => {
    const list = JSON.parse(body) as { items: { metadata: { name: string } }[] };
    return JSON.stringify({ ...list, items: list.items.filter(({ metadata }) => metadata.name !== ONE) });
  };
  const hidden = proxy.inject(listOf(definition), { kind: "edit", change: hide }, 1);
  const run = await rewrite(definition, { acceptUnseen: true });
  expect(hidden.hits()).toBe(1);
  expect(run).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rewritten: OBJECTS, remaining: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

// With the settle point trusted again in the second or the third pass (rewrite-until-proven.ts) it ends succeeded with that object stored as
// v1beta1.
faultTest("a stale value put straight into etcd, above the settle point, is found by verify: every-object", async (bench) => {
  const { cluster, stale, proxy, start, endOf, storedAs, rewrite } = bench;
  const definition = await stale(OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(ONE)?.text ?? "";
  const key = `/registry/${definition.group}/widgets/default/${ONE}`;

  // The first list is the first pass's; the second begins the verification.
  const nthList = (nth: number) => {
    let lists = 0;
    return proxy.hold((request) => listOf(definition)(request) && ++lists === nth, "before");
  };
  const [second, third] = [nthList(2), nthList(3)];
  const run = await start(definition, { acceptUnseen: true, verify: "every-object" });
  await second.reached;
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  await putIntoEtcd(cluster.etcd, key, old);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
  second.release();
  await third.reached;
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  await putIntoEtcd(cluster.etcd, key, old);
  third.release();
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });

  await putIntoEtcd(cluster.etcd, key, old);
  expect(await rewrite(definition, { acceptUnseen: true, verify: "every-object" })).toMatchObject({
    phase: "succeeded",
    counts: { rewritten: 1 },
  });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});
