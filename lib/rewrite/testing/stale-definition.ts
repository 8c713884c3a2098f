import type { SampleConversion, SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import type { Bench } from "./test-cluster.ts";

export const beforeFlip: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }];
export const afterFlip: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

export interface StaleOptions {
  spec?: (index: number) => object;
  conversion?: SampleConversion;
  /** The versions when the objects are created, at v1beta1, and those after it. */
  versions?: { before: SampleVersion[]; after: SampleVersion[] };
}

/** A definition whose objects were created at v1beta1 before v1 became the storage version. */
export async function staleDefinition(
  { define, flip }: Pick<Bench, "define" | "flip">,
  count: number,
  { spec, conversion, versions = { before: beforeFlip, after: afterFlip } }: StaleOptions = {},
): Promise<SampleDefinition> {
  const definition = await define(versions.before);
  await definition.createObjects("v1beta1", count, spec);
  await flip(definition, versions.after, conversion);
  return definition;
}
