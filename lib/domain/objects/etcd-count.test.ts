import { expect, test } from "vitest";
import { provenCrd, sampleEtcdCount } from "#lib/domain/testing/sample-crd.ts";
import { isTelling, objectsRead, unreadableReason } from "./etcd-count.ts";
import { boundsInEtcd, storedBounds } from "./object-counts.ts";

const now = Date.parse("2026-01-02T12:00:00.000Z");

const etcd = (atLeast: number, atMost: number) => ({ atLeast, atMost, basis: "etcd" });

test("a whole count is exact, for versions that it did not find, too", () => {
  const count = sampleEtcdCount({ v1: [7, "9"], v1beta1: [3, "8"] });
  expect([boundsInEtcd(count, "v1"), boundsInEtcd(count, "v1beta1"), boundsInEtcd(count, "v2")]).toEqual([
    etcd(7, 7),
    etcd(3, 3),
    etcd(0, 0),
  ]);
  expect([objectsRead(count), unreadableReason(count)]).toEqual([10, null]);
});

test("what is not read yet, encrypted or unreadable may be of any version", () => {
  const count = sampleEtcdCount({ v1: [7, "9"] }, { total: 12, encrypted: 2, unreadable: 1 });
  expect([boundsInEtcd(count, "v1"), boundsInEtcd(count, "v1beta1")]).toEqual([etcd(7, 12), etcd(0, 5)]);
  expect(objectsRead(count)).toBe(10);
});

test("without any object all are zero, exactly", () => {
  expect(boundsInEtcd(sampleEtcdCount({}), "v1")).toEqual(etcd(0, 0));
});

test("a count of nothing but encrypted and unreadable objects tells nothing, once all are read", () => {
  expect(boundsInEtcd(sampleEtcdCount({}, { total: 5, encrypted: 4, unreadable: 1 }), "v1")).toBeNull();
  expect(isTelling(sampleEtcdCount({}, { total: 6, encrypted: 4, unreadable: 1 }))).toBe(true);
});

test.each([
  [{ encrypted: 1 }, "In etcd, 1 object is encrypted, so its stored version can't be read."],
  [
    { encrypted: 1_200, unreadable: 1 },
    "In etcd, 1,200 objects are encrypted and 1 object is in another format, so their stored version can't be read.",
  ],
])("how many can't be known is told: %j", (changes, reason) => {
  expect(unreadableReason(sampleEtcdCount({ v1: [1, "1"] }, changes))).toBe(reason);
});

test("without etcd, a proof that it has disproved gives no number any more", () => {
  const crd = { ...provenCrd(), etcdCount: sampleEtcdCount({ v1beta1: [1, "100"] }) };
  expect(storedBounds(crd, { total: 10, settlePoint: "900", aboveSettlePoint: 10 }, now)("v1beta1")).toEqual({
    atLeast: 0,
    atMost: 10,
    basis: "none",
  });
});
