import { expect, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { breakableConversion, type ConversionFault } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

// The last release on which an API server empties managedFields if a webhook fails between two of its calls.
const { cluster } = await openTestBench(olderRelease);
const JSON_PATCH = "application/json-patch+json";
const size = { type: "integer" };
const mode = { type: "string" };
const name = objectName(0);

interface Applied {
  /** At each version. */
  properties: Record<"v1beta1" | "v1", NonNullable<SampleVersion["properties"]>>;
  /** Of the manifest that its owner applies before, at v1beta1; only its size is in the later one, at v1. */
  spec: object;
  /** How the webhook converts, if not only the apiVersion. */
  converts?: ConversionFault;
}

/** Rewrites an object whose managedFields a broken webhook empties, and whose owner applies it at v1 right before they are put back. */
async function appliedWhileEmpty({ proxy, define, apply, flip, start, run, endOf }: FaultBench, { properties, spec, converts }: Applied) {
  const versions = (storage: string): SampleVersion[] =>
    (["v1", "v1beta1"] as const).map((version) => ({ name: version, storage: version === storage, properties: properties[version] }));
  const webhook = await breakableConversion();
  const heal = async () => (converts ? webhook.break(converts) : webhook.heal());
  const definition = await define(versions("v1beta1"));
  const entries = async () => (await definition.storedValues(cluster.etcd)).get(name)?.metadata.managedFields ?? [];
  await apply(definition, "v1beta1", name, "owner", spec);
  await heal();
  await flip(definition, versions("v1"), webhook.conversion);
  const patches = patchOf(definition, name);
  const rewriting = proxy.hold(patches, "before");
  const { id } = await start(definition);
  await rewriting.reached;
  webhook.break({ kind: "HTTP 500" });
  rewriting.release();
  await expect.poll(async () => (await run(definition, id)).statusReason ?? "", { timeout: 30_000 }).toContain("conversion webhook for");
  expect(await entries()).toEqual([]);
  const restoring = proxy.hold((request) => patches(request) && request.headers["content-type"] === JSON_PATCH, "before");
  await heal();
  await restoring.reached;
  await apply(definition, "v1", name, "owner", { size: 1 });
  restoring.release();
  const end = await endOf(definition, id);
  const after = await entries();
  // The owner's next apply, of the same manifest.
  await apply(definition, "v1", name, "owner", { size: 1 });
  const stored = (await definition.storedValues(cluster.etcd)).get(name);
  return { end, after: after.map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 })), spec: JSON.parse(stored?.specText ?? "") };
}

// Without applyAtOtherVersion (with-later-entries.ts) both entries are sent, the API server keeps the later one, and nobody owns mode.
test("a manager that applied at another version meanwhile keeps what it owned", () =>
  underFaults(cluster, async (bench) => {
    const properties = { v1beta1: { size, mode }, v1: { size, mode } };
    const { end, after, spec } = await appliedWhileEmpty(bench, { properties, spec: { size: 1, mode: "fast" } });
    expect(end).toMatchObject({ phase: "succeeded", ownership: { kept: 1, lost: 0 } });
    expect(after).toEqual([{ manager: "owner", fieldsV1: { "f:spec": { "f:mode": {}, "f:size": {} } } }]);
    // It has left mode out of what it applies.
    expect(spec).toEqual({ size: 1 });
  }));

// Without lostIfRelabeled (with-later-entries.ts) the owner owns no tag, and the run says that it does.
test("what it owned in a list of another type is lost, and before-first-apply owns it", () =>
  underFaults(cluster, async (bench) => {
    const tags = { type: "array", items: { type: "string" } };
    const properties = { v1beta1: { size, tags }, v1: { size, tags: { ...tags, "x-kubernetes-list-type": "set" } } };
    const { end, after } = await appliedWhileEmpty(bench, { properties, spec: { size: 1, tags: ["a"] } });
    expect(end).toMatchObject({ phase: "succeeded", ownership: { kept: 0, lost: 1 } });
    expect(after).toHaveLength(2);
    expect(after).toContainEqual({ manager: "owner", fieldsV1: { "f:spec": { "f:size": {} } } });
    expect(after).toContainEqual({
      manager: "before-first-apply",
      fieldsV1: { "f:spec": { ".": {}, "f:size": {}, "f:tags": { ".": {}, 'v:"a"': {} } } },
    });
  }));

// Without isSameAt (with-later-entries.ts) the owner owns a field that v1 calls otherwise, so nobody owns speed, and the run says "kept".
test("what it owned under another name is lost, and before-first-apply owns it", () =>
  underFaults(cluster, async (bench) => {
    const properties = { v1beta1: { size, mode }, v1: { size, speed: mode } };
    const converts: ConversionFault = {
      kind: "changes",
      change: ({ spec, ...object }) => {
        const { mode, speed, ...others } = spec as { mode?: string; speed?: string };
        const value = mode ?? speed;
        return { ...object, spec: { ...others, ...(value && { [object.apiVersion.endsWith("/v1") ? "speed" : "mode"]: value }) } };
      },
    };
    const { end, after } = await appliedWhileEmpty(bench, { properties, spec: { size: 1, mode: "fast" }, converts });
    expect(end).toMatchObject({ phase: "succeeded", ownership: { kept: 0, lost: 1 } });
    expect(after).toHaveLength(2);
    expect(after).toContainEqual({ manager: "owner", fieldsV1: { "f:spec": { "f:size": {} } } });
    expect(after).toContainEqual({
      manager: "before-first-apply",
      fieldsV1: { "f:spec": { ".": {}, "f:size": {}, "f:speed": {} } },
    });
  }));
