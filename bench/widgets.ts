import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const GROUP = "bench.crdshift.dev";
export const WIDGETS = { name: `widgets.${GROUP}`, path: `/apis/${GROUP}` };

/** A flip is not effective at once; without a wait the bare loop would leave objects behind. */
const FLIP_SETTLES_MS = 3_000;

/** A definition with `count` objects of `bytes` bytes, created at v1beta1, with storage then flipped to v1. */
export async function createWidgets(api: ApiClient, { count, bytes }: { count: number; bytes: number }): Promise<SampleDefinition> {
  const definition = await createDefinition(api, versions("v1beta1"), { group: GROUP });
  const payload = "x".repeat(Math.max(0, bytes - 400));
  await definition.createObjects("v1beta1", count, (index) => ({ size: index, payload }));
  await flipStorage(definition, "v1");
  return definition;
}

/** Makes a version the storage version, as a person would, and waits until that is in force. */
export async function flipStorage(definition: SampleDefinition, storage: string): Promise<void> {
  await definition.setVersions(versions(storage));
  await sleep(FLIP_SETTLES_MS, AbortSignal.timeout(60_000));
}

function versions(storage: string) {
  const properties = { size: { type: "integer" }, payload: { type: "string" } };
  return ["v1", "v1beta1"].map((name) => ({ name, storage: name === storage, properties }));
}
