import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Fault, Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const first = objectName(0);
const size = { size: { type: "integer" } };
function status(code: number, reason: string): Fault {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: "not now" });
  return { kind: "answer", status: code, headers: { "content-type": "application/json" }, body };
}

const versions = (storage: string, atV1: object, atV1beta1: object): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { ...size, ...atV1 } },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { ...size, ...atV1beta1 } },
];

/** Three objects that `helm` applied at v1beta1 with this spec, before v1 became the storage version. */
async function applied({ define, apply, flip }: FaultBench, spec: object, atV1: object, atV1beta1: object): Promise<SampleDefinition> {
  const definition = await define(versions("v1beta1", atV1, atV1beta1));
  for (let index = 0; index < 3; index += 1) await apply(definition, "v1beta1", objectName(index), "helm", spec);
  await flip(definition, versions("v1", atV1, atV1beta1));
  return definition;
}

async function clean({ connection }: FaultBench, definition: SampleDefinition): Promise<Cleaning> {
  const { crd } = await readCrd(connection, definition.name, soon());
  let last: Cleaning | undefined;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) last = now;
  return last ?? expect.fail("nothing was cleaned");
}

// With the schemas read through the gate (version-schemas.ts) the retry that probes it waits for itself, for ten minutes.
faultTest("a cleaning goes on after one temporary failure of its first object", async (bench) => {
  const definition = await applied(bench, { size: 1 }, {}, {});
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const isRead: Match = ({ method, path }) =>
    method === "GET" && path.includes(`${definition.group}/v1/namespaces/default/widgets/widget-`);
  bench.proxy.inject(isRead, status(504, "Timeout"), 3);
  expect(await clean(bench, definition)).toMatchObject({ complete: true, cleaned: 3, rejected: 0 });
});

// Schemas that can't be read counted as "nothing is lost": the entry then named v1 and owned nothing, and anyone could take the field.
for (const code of [403, 404, 503])
  faultTest(`a definition that can't be read once (${code}) relabels no entry that would own less`, async (bench) => {
    const pair = { type: "object", properties: { a: { type: "integer" } } };
    const definition = await applied(bench, { x: { a: 1 } }, { x: pair }, { x: { ...pair, "x-kubernetes-map-type": "atomic" } });
    const { crd } = await readCrd(bench.connection, definition.name, soon());
    const isWhole: Match = ({ method, path, headers }) =>
      method === "GET" && path.endsWith(`/customresourcedefinitions/${definition.name}`) && !headers.accept?.includes("Partial");
    const met = bench.proxy.inject(isWhole, status(code, code === 404 ? "" : "Forbidden"), 1);
    const end = Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon())).catch(() => null);
    expect((await end)?.at(-1)?.cleaned ?? 0).toBe(0);
    expect(met.hits()).toBe(1);
    for (const { metadata } of (await definition.storedValues(bench.cluster.etcd)).values()) {
      expect(metadata.managedFields).toMatchObject([{ manager: "helm", apiVersion: `${definition.group}/v1beta1` }]);
    }
  });

// Where the entries read after the lost answer count as those from before it (clean-object.ts), crdshift keeps owning the default.
faultTest("a lost answer leaves crdshift no owner of a default that the write stored", async (bench) => {
  const { proxy, apply, cluster } = bench;
  const definition = await applied(bench, { size: 1 }, { color: { type: "string", default: "red" } }, {});
  const isWrite = patchOf(definition, first);
  proxy.inject(isWrite, { kind: "reset", when: "after" }, 1);
  expect(await clean(bench, definition)).toMatchObject({ complete: true, cleaned: 3, rejected: 0 });
  for (const { metadata } of (await definition.storedValues(cluster.etcd)).values()) {
    expect(metadata.managedFields?.map(({ manager }) => manager)).toEqual(["helm"]);
  }
  await apply(definition, "v1", first, "helm", { size: 1, color: "blue" });
});
