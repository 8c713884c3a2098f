import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const NAME = objectName(0);
const size = { type: "string" };
const ports = [{ name: "http", port: 80 }];
const port = { name: { type: "string" }, port: { type: "integer" } };
// Atomic, as every list whose type nothing says.
const listOf = (properties: object) => ({ type: "array", items: { type: "object", properties } });
const old = { size, ports: listOf(port) };
const withDefault = { size, ports: listOf({ ...port, protocol: { type: "string", default: "TCP" } }) };

// Without givenBack (own-entries.ts), a default stored in an atomic list leaves the list to nobody, and no word tells.
describe.each(["newest", "older"] as const)(
  "on the %s release, whoever owned a list in which a rewrite stored a default",
  async (which) => {
    const { api, apply, cluster, connection, define, dryRun, flip, rewrite } = await openTestBench(
      which === "older" ? olderRelease : undefined,
    );

    async function applied(version: string, spec: object): Promise<SampleDefinition> {
      const definition = await define([
        { name: "v1beta1", storage: true, properties: old },
        { name: "v1", properties: old },
      ]);
      await apply(definition, version, NAME, "gitops", spec);
      await flip(definition, [
        { name: "v1", storage: true, properties: withDefault },
        { name: "v1beta1", properties: old },
      ]);
      return definition;
    }
    const ownersOf = async (definition: SampleDefinition, field: string) => {
      const stored = (await definition.storedValues(cluster.etcd)).get(NAME)?.metadata.managedFields ?? [];
      return stored.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"${field}"`)).map(({ manager }) => manager);
    };
    const specOf = async (definition: SampleDefinition) => (await api.get<{ spec: unknown }>(definition.path("v1", { name: NAME }))).spec;

    test.each([
      ["still owns it", "v1", { size: "large", ports }, false],
      ["still owns it, and nothing else", "v1", { ports }, false],
      ["still owns it, and nothing else, if ownership is kept", "v1", { ports }, true],
      ["still owns it, by an apply at the old version, if ownership is kept", "v1beta1", { size: "large", ports }, true],
    ])("%s", async (_, version, spec, keepOwnership) => {
      const definition = await applied(version, spec);
      if (!keepOwnership) expect(await dryRun(definition)).toMatchObject({ lossesKnown: true, losses: [{ kind: "defaulted" }] });
      expect(await rewrite(definition, { keepOwnership })).toMatchObject({ phase: "succeeded", statusReason: null });
      expect(await ownersOf(definition, "f:ports")).toEqual(["gitops"]);
      // With an entry of a version that lacks the default, the API server of 1.37 can't tell: "field not declared in schema".
      if (version !== "v1") return;
      await expect(apply(definition, "v1", NAME, "another", { ports: [{ name: "other", port: 1 }] })).rejects.toThrow("409");
      await apply(definition, "v1", NAME, "gitops", { size: "new" });
      expect(await specOf(definition)).toEqual({ size: "new" });
    });

    test("still owns a map that has become atomic", async () => {
      const limits = { cpu: size };
      const granular = { size, limits: { type: "object", properties: limits } };
      const definition = await define([
        { name: "v1beta1", storage: true, properties: granular },
        { name: "v1", properties: granular },
      ]);
      await apply(definition, "v1", NAME, "gitops", { size: "large", limits: { cpu: "2" } });
      const properties = { ...limits, kind: { type: "string", default: "soft" } };
      await flip(definition, [
        { name: "v1", storage: true, properties: { size, limits: { type: "object", "x-kubernetes-map-type": "atomic", properties } } },
        { name: "v1beta1", properties: granular },
      ]);
      expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", statusReason: null });
      expect(await ownersOf(definition, "f:limits")).toEqual(["gitops"]);
      await expect(apply(definition, "v1", NAME, "another", { limits: { cpu: "99" } })).rejects.toThrow("409");
    });

    test("still owns a list at the old version that has become a map of items", async () => {
      const items = { type: "object", required: ["port"], properties: { port: { type: "integer" } } };
      const definition = await define([
        { name: "v1beta1", storage: true, properties: { size, ports: { type: "array", items } } },
        { name: "v1", properties: { size, ports: { type: "array", items } } },
      ]);
      await apply(definition, "v1beta1", NAME, "helm", { size: "large", ports: [{ port: 80 }] });
      const withProtocol = { ...items, properties: { ...items.properties, protocol: { type: "string", default: "TCP" } } };
      const map = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"], items: withProtocol };
      await flip(definition, [
        { name: "v1", storage: true, properties: { size, ports: map } },
        { name: "v1beta1", properties: { size, ports: { type: "array", items } } },
      ]);
      const run = await rewrite(definition);
      // An older release would empty the whole entry, which holds the rewrite back.
      if (which === "older")
        return expect(run).toMatchObject({ phase: "unproven", statusReason: expect.stringContaining("managedFields") });
      expect(run).toMatchObject({ phase: "succeeded", statusReason: null });
      expect(await ownersOf(definition, "f:ports")).toEqual(["helm"]);
    });

    test("still owns it after a cleaning", async () => {
      const definition = await applied("v1beta1", { size: "large", ports });
      const { crd } = await readCrd(connection, definition.name, soon());
      const states = await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon()));
      expect(states.at(-1)).toMatchObject({ cleaned: 1, warning: null });
      expect(await ownersOf(definition, "f:ports")).toEqual(["gitops"]);
    });
  },
);
