import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import type { TestBench } from "./test-bench.ts";

const port = { name: { type: "string" }, port: { type: "integer" } };
// Atomic, as every list whose type nothing says: a default in its items takes the list from its owner.
const listOf = (properties: object) => ({ size: { type: "string" }, ports: { type: "array", items: { type: "object", properties } } });

/** Versions of a definition whose newest stores a default in the items of a list. */
export const gone: SampleVersion = { name: "v1alpha1", properties: listOf(port) };
export const v1beta1: SampleVersion = { name: "v1beta1", properties: listOf(port) };
export const v1: SampleVersion = { name: "v1", properties: listOf({ ...port, protocol: { type: "string", default: "TCP" } }) };

/** The name of the only object. */
export const NAME = objectName(0);

/** Each entry of the object's managedFields in etcd: its manager, version, and which of the list and the size it owns. */
export async function ownersOf({ cluster }: Pick<TestBench, "cluster">, definition: SampleDefinition): Promise<string[]> {
  const entries = (await definition.storedValues(cluster.etcd)).get(NAME)?.metadata.managedFields ?? [];
  const owned = (fields: object) => ["f:ports", "f:size"].filter((field) => JSON.stringify(fields).includes(`"${field}"`));
  return entries.map(({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion.split("/")[1]} ${owned(fieldsV1)}`);
}
