import { describe, expect, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { conversionWebhook, mutatingWebhook, reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// A conversion webhook drops a field while the API server fills its cache, and is then repaired: reads and dry runs convert anew, but a write
// that changes anything starts from the cache.

const properties = { size: { type: "integer" }, color: { type: "string" } };
const gone: SampleVersion = { name: "v1alpha1", properties };
const old: SampleVersion = { name: "v1beta1", properties };
const now: SampleVersion = { name: "v1", properties };
const defaulting: SampleVersion = { name: "v1", properties: { ...properties, tier: { type: "string", default: "gold" } } };

describe("on the current release", async () => {
  const bench = await openTestBench();

  // Without readCached (compareByDryRun in compare-object.ts) the run is proven, and every object has lost the field.
  test("a dry run says that losses are unknown, and the rewrite that relies on it is refused; a new spec repairs it", async () => {
    const { flip, dryRun, rewrite } = bench;
    const { definition, conversion } = await cachedWithout(defaulting);
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: false, lossesUnknownBecause: expect.stringContaining("cache") });
    await expect(rewrite(definition)).rejects.toMatchObject({ message: expect.stringContaining("cache") });
    expect(await lost(definition)).toBe(0);

    const described = { ...defaulting, properties: { ...defaulting.properties, size: { type: "integer", description: "New." } } };
    await flip(definition, [{ ...described, storage: true }, old], conversion);
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: true });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 5 } });
    expect(await lost(definition)).toBe(0);
  });

  // Compared as text (differencesBetween in compare-object.ts), a webhook that writes a list in another order each time would hold it back for ever.
  test("what a webhook now only writes differently holds nothing back", async () => {
    const { define, flip, dryRun, rewrite } = bench;
    let ttl = "90s";
    const conversion = await conversionWebhook(({ spec, ...rest }, apiVersion) => ({ ...rest, apiVersion, spec: { ...spec, ttl } }));
    const versions = [defaulting, old].map((version) => ({ ...version, properties: { ...version.properties, ttl: { type: "string" } } }));
    const [newer = now, older = old] = versions;
    const definition = await define([newer, { ...older, storage: true }]);
    await definition.createObjects("v1beta1", 5, (size) => ({ size, color: "red", ttl }));
    await flip(definition, [{ ...newer, storage: true }, older], conversion);
    await showsCached(definition, { ttl });
    ttl = "1m30s";
    expect(await dryRun(definition)).toMatchObject({ lossesKnown: true });
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 5 } });
  });

  // Without looksIntoCache (tryObject in try-object.ts) the dry run that such a rewrite makes first sees nothing.
  test("a rewrite without a dry run is refused before it writes anything", async () => {
    const { rewrite, api } = bench;
    const { definition } = await cachedWithout(now);
    const { clientConfig } = await reviewServer(({ apiVersion, kind, request: { uid, object } }, response) => {
      const patch = object?.metadata.labels ? [] : [{ op: "add", path: "/metadata/labels", value: { team: "red" } }];
      const told = { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
      sendJson(response, { apiVersion, kind, response: { uid, allowed: true, ...told } });
    });
    await mutatingWebhook(api, definition, clientConfig);
    const cached = expect.stringContaining("cache");
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 0 }, statusReason: cached });
    expect(await lost(definition)).toBe(0);
  });

  /** Five objects that the API server holds without the field, at this storage version, after the webhook is repaired. */
  async function cachedWithout(newer: SampleVersion) {
    const { conversion, repair } = await repairable();
    const definition = await bench.define([newer, { ...old, storage: true }]);
    await definition.createObjects("v1beta1", 5, (size) => ({ size, color: "red" }));
    await bench.flip(definition, [{ ...newer, storage: true }, old], conversion);
    await showsCached(definition, { size: 0 });
    repair();
    return { definition, conversion };
  }

  /** How many objects lack the field in etcd. */
  async function lost(definition: SampleDefinition): Promise<number> {
    const values = [...(await definition.storedValues(bench.cluster.etcd)).values()];
    expect(values).toHaveLength(5);
    return values.filter(({ specText }) => !specText.includes("color")).length;
  }

  async function showsCached(definition: SampleDefinition, spec: object): Promise<void> {
    const path = `${definition.path("v1", { name: objectName(0) })}?resourceVersion=0`;
    await expect.poll(async () => (await bench.api.get<{ spec: object }>(path)).spec).toEqual(expect.objectContaining(spec));
  }
});

describe("on a release that empties managedFields", async () => {
  const bench = await openTestBench(olderRelease);

  test("entries aren't carried over into such objects either", async () => {
    const { define, flip, apply, rewrite, cluster } = bench;
    const { conversion, repair } = await repairable();
    const definition = await define([gone, now, { ...old, storage: true }]);
    for (let index = 0; index < 5; index += 1)
      await apply(definition, "v1alpha1", objectName(index), "owner", { size: index, color: "red" });
    await flip(definition, [{ ...now, storage: true }, old], conversion);
    await bench.api.get(`${definition.path("v1", { name: objectName(0) })}?resourceVersion=0`);
    repair();
    expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "unproven", counts: { rewritten: 0 } });
    const values = [...(await definition.storedValues(cluster.etcd)).values()];
    expect(values.filter(({ specText }) => specText.includes("color"))).toHaveLength(5);
  });
});

/** A conversion webhook that drops a field until it is repaired. */
async function repairable() {
  let isBroken = true;
  const conversion = await conversionWebhook(({ spec = {}, ...rest }, apiVersion) => {
    const { color, ...others } = spec;
    return { ...rest, apiVersion, spec: { ...others, ...(color !== undefined && !isBroken && { color }) } };
  });
  return {
    conversion,
    repair() {
      isBroken = false;
    },
  };
}
