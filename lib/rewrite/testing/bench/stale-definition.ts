import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import type { StaleOptions, TestBench } from "./test-bench.ts";

export const beforeFlip: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
export const afterFlip: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

/** A definition whose objects were created at v1beta1 before v1 became the storage version. */
export async function staleDefinition(
  { define, flip }: Pick<TestBench, "define" | "flip">,
  count: number,
  { spec, conversion, versions = { before: beforeFlip, after: afterFlip } }: StaleOptions = {},
): Promise<SampleDefinition> {
  const definition = await define(versions.before);
  await definition.createObjects("v1beta1", count, spec);
  await flip(definition, versions.after, conversion);
  return definition;
}
