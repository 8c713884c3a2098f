import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { preferredVersion } from "#lib/domain/definition/crd.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { compareVersionPriority, versionPriorityOrder } from "./version-priority.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const count = 15;

// DNS labels that start with a letter, as the API server asks of version names.
const number = fc.oneof(fc.nat({ max: 12 }).map(String), fc.constantFrom("007", "010", "9223372036854775807", "9223372036854775808"));
const versionName = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(number, fc.constantFrom("", "alpha", "beta"), number).map(([a, kind, b]) => `v${a}${kind && kind + b}`),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/) },
  { weight: 1, arbitrary: fc.constantFrom("v", "v1beta", "vv1", "v1gamma1", "v1beta1x", "v1-beta1", "foo1", "foo10") },
);
// v1 and v01 tie, and the API server's order of ties is an accident.
const versionNames = fc.uniqueArray(versionName, { comparator: (a, b) => compareVersionPriority(a, b) === 0, minLength: 1, maxLength: 12 });
const definition = versionNames.chain((names) =>
  fc.record({
    names: fc.constant(names),
    storage: fc.constantFrom(...names),
    unserved: fc.subarray(names, { maxLength: Math.min(3, names.length - 1) }),
  }),
);

test("orders and prefers versions exactly as the API server's discovery does", async () => {
  const api = apiClient(workerCluster());
  const check = async (generated: { names: string[]; storage: string; unserved: string[] }) => {
    const group = `g${randomBytes(5).toString("hex")}.example.com`;
    const versions = generated.names.map((name) =>
      sampleVersion(name, { storage: name === generated.storage, served: !generated.unserved.includes(name) }),
    );
    await api.create(definitions, crdJson(group, versions));
    try {
      const served = versions.filter((version) => version.served).map(({ name }) => name);
      const discovered = await discovery(api, group, served);
      const expected = versionPriorityOrder(versions.filter((version) => version.served)).map(({ name }) => name);
      expect(discovered).toEqual({ versions: expected, preferred: preferredVersion(sampleCrd({ versions }))?.name });
    } finally {
      await api.delete(`${definitions}/widgets.${group}`);
    }
  };
  const all = fc.array(definition, { minLength: count, maxLength: count });
  // Shrinking would create hundreds of definitions; the seed is printed.
  await fc.assert(
    fc.asyncProperty(all, async (generated) => {
      await Promise.all(generated.map(check));
    }),
    { numRuns: 1, endOnFailure: true },
  );
});

function crdJson(group: string, versions: ReturnType<typeof sampleVersion>[]) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: versions.map(({ name, served, storage }) => ({ name, served, storage, schema: { openAPIV3Schema: { type: "object" } } })),
    },
  };
}

interface Group {
  versions: { version: string }[];
  preferredVersion: { version: string };
}

/** What discovery says of a group, once it knows of every served version. */
function discovery(api: ReturnType<typeof apiClient>, group: string, served: string[]) {
  return vi.waitFor(
    async () => {
      const { versions, preferredVersion: preferred } = await api.get<Group>(`/apis/${group}`);
      const names = versions.map(({ version }) => version);
      expect(names.toSorted()).toEqual(served.toSorted());
      return { versions: names, preferred: preferred.version };
    },
    { timeout: 90_000, interval: 100 },
  );
}
