import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { conversionWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// A conversion webhook drops a field while the API server fills its cache, and is then repaired. Meanwhile one object that can't be converted
// has ended the API server's watch, and each list with which it would fill its cache again: until one succeeds, it answers reads from etcd,
// and a write still starts from what was in the cache.

const tags = { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } };
const properties = { size: { type: "integer" }, color: { type: "string" }, tags };
const old: SampleVersion = { name: "v1beta1", properties };
const now: SampleVersion = { name: "v1", properties };
const UNCONVERTIBLE = "unconvertible";
const OBJECTS = 5;

describe("a write that would start from a cache that no read shows", () => {
  describe("and stores a new default", async () => {
    const bench = await openTestBench();
    const defaulting: SampleVersion = { name: "v1", properties: { ...properties, tier: { type: "string", default: "gold" } } };

    // Without tests (noOpPatch in object-patches.ts) all five lose the field, although the dry run has shown that nothing is lost.
    test("is refused for each object alone, until the API server converts them anew", async () => {
      const definition = await bench.define([defaulting, { ...old, storage: true }]);
      await definition.createObjects("v1beta1", OBJECTS, (size) => ({ size, color: "red" }));
      const { conversion, heal } = await hiddenCache(bench, definition, [{ ...defaulting, storage: true }, old]);
      expect(await bench.rewrite(definition)).toMatchObject(refused);
      expect(await colored(bench, definition)).toBe(OBJECTS);

      heal();
      const described = { ...defaulting, properties: { ...defaulting.properties, size: { type: "integer", description: "New." } } };
      await bench.flip(definition, [{ ...described, storage: true }, old], conversion);
      expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS + 1, rejected: 0 } });
      expect(await colored(bench, definition)).toBe(OBJECTS);
    });
  });

  describe("and stores a new default, of a webhook that gives a set back in another order each time", async () => {
    const bench = await openTestBench();

    // With tests only of what is the same in all reads, all five lose the whole set. Of a default for the set itself, no dry run shows that
    // the write stores it, as that starts from a read.
    test.each([
      ["of another field", { tier: { type: "string", default: "gold" } }],
      ["of the set itself", { tags: { ...tags, default: [] } }],
    ])("is refused for each object alone: %s", async (_, added) => {
      const defaulting: SampleVersion = { name: "v1", properties: { ...properties, ...added } };
      const definition = await bench.define([defaulting, { ...old, storage: true }]);
      await definition.createObjects("v1beta1", OBJECTS, (size) => ({ size, tags: ["a", "b", "c", "d", "e", "f"] }));
      await hiddenCache(bench, definition, [{ ...defaulting, storage: true }, old], "tags");
      expect(await bench.rewrite(definition)).toMatchObject(refused);
      const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
      expect(values.filter(({ specText }) => specText.includes('"tags":["a","b"'))).toHaveLength(OBJECTS);
    });
  });

  describe("and carries managedFields over", async () => {
    const bench = await openTestBench(olderRelease);
    const gone: SampleVersion = { name: "v1alpha1", properties };

    // Without tests (managedFieldsPatch in object-patches.ts) all five lose the field.
    test("is refused for each object alone", async () => {
      const definition = await bench.define([gone, now, { ...old, storage: true }]);
      for (let index = 0; index < OBJECTS; index += 1)
        await bench.apply(definition, "v1alpha1", objectName(index), "owner", { size: index, color: "red" });
      await hiddenCache(bench, definition, [{ ...now, storage: true }, old]);
      expect(await bench.rewrite(definition, { keepOwnership: true })).toMatchObject(refused);
      expect(await colored(bench, definition)).toBe(OBJECTS);
    });

    // Without the guard (writingWithin in change-managed-fields.ts) each object is rejected, whatever is accepted. Without startedFrom
    // there, what the cache held is taken for something that treats dry runs otherwise, and stops the whole run.
    test.each([
      ["the webhook gives another value each time", (_: boolean, calls: number) => ({ at: String(calls) })],
      ["it did, and the cache has an earlier one", (isRewriting: boolean, calls: number) => ({ at: isRewriting ? "now" : String(calls) })],
    ])("is made if all that differs is accepted: %s", async (_, annotated) => {
      let [isRewriting, calls] = [false, 0];
      const conversion = await conversionWebhook(({ metadata, ...rest }, apiVersion) => {
        calls += 1;
        return { ...rest, metadata: { ...metadata, annotations: annotated(isRewriting, calls) }, apiVersion };
      });
      const definition = await bench.define([gone, now, { ...old, storage: true }]);
      for (let index = 0; index < OBJECTS; index += 1)
        await bench.apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
      await bench.flip(definition, [{ ...now, storage: true }, old], conversion);
      const path = `${definition.path("v1", { name: objectName(0) })}?resourceVersion=0`;
      const shown = async () => (await bench.api.get<{ metadata: object }>(path)).metadata;
      await expect.poll(shown).toHaveProperty("annotations.at");
      await bench.dryRun(definition);
      isRewriting = true;
      expect(await bench.rewrite(definition, { acceptLosses: true, keepOwnership: true })).toMatchObject({
        ...{ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 }, ownership: { kept: OBJECTS, lost: 0 } },
      });
    });

    // With tests only of what is the same in all reads, a write that empties them loses the whole set.
    test("is refused, too, if their loss is accepted and the webhook shuffles", async () => {
      const definition = await bench.define([gone, now, { ...old, storage: true }]);
      for (let index = 0; index < OBJECTS; index += 1)
        await bench.apply(definition, "v1alpha1", objectName(index), "owner", { size: index, tags: ["a", "b", "c", "d", "e", "f"] });
      await hiddenCache(bench, definition, [{ ...now, storage: true }, old], "tags");
      await bench.dryRun(definition);
      expect(await bench.rewrite(definition, { acceptLosses: true })).toMatchObject(refused);
      const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
      expect(values.filter(({ specText }) => specText.includes('"tags":["a","b"'))).toHaveLength(OBJECTS);
    });
  });
});

const refused = {
  ...{ phase: "unproven", counts: { rewritten: 0, rejected: OBJECTS + 1 } },
  rejections: expect.arrayContaining([
    expect.objectContaining({ reason: "LossUnknown", message: expect.stringMatching(/Restart the API servers|restart the API servers/) }),
  ]),
};

/** Flips the definition, and resolves once the API server no longer shows what it holds. `heal` lets the last object be converted. */
async function hiddenCache(bench: TestBench, definition: SampleDefinition, versions: SampleVersion[], dropped = "color") {
  const { api, cluster, flip } = bench;
  let [isBroken, isHealed] = [true, false];
  const conversion = await conversionWebhook(({ spec = {}, ...rest }, apiVersion) => {
    if (rest.metadata.name === UNCONVERTIBLE && !isHealed) throw new Error("it can't be converted");
    const { [dropped]: value, ...others } = spec;
    const given = Array.isArray(value) ? value.map((item) => ({ item, at: Math.random() })).sort((one, other) => one.at - other.at) : null;
    const kept = given ? given.map(({ item }) => item) : value;
    return { ...rest, apiVersion, spec: { ...others, ...(value !== undefined && !isBroken && { [dropped]: kept }) } };
  });
  await flip(definition, versions, conversion);
  const path = `${definition.path("v1", { name: objectName(0) })}?resourceVersion=0`;
  const shown = async () => (await api.get<{ spec: object }>(path)).spec;
  await expect.poll(shown).toEqual({ size: 0 });
  const metadata = { name: UNCONVERTIBLE, namespace: "default", uid: randomUUID(), creationTimestamp: "2020-01-01T00:00:00Z" };
  const object = { apiVersion: `${definition.group}/v1beta1`, kind: "Widget", metadata, spec: { size: 1 } };
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/${definition.plural}/default/${UNCONVERTIBLE}`, JSON.stringify(object));
  isBroken = false;
  // The API server watches again and again before it lists.
  await expect.poll(shown, { timeout: 120_000, interval: 500 }).toHaveProperty(dropped);
  return {
    conversion,
    heal() {
      isHealed = true;
    },
  };
}

/** How many objects have the field in etcd. */
async function colored(bench: TestBench, definition: SampleDefinition): Promise<number> {
  const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
  return values.filter(({ specText }) => specText.includes('"color":"red"')).length;
}
