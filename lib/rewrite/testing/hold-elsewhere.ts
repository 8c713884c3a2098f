import type { Run } from "#lib/domain/rewrite.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { readRecord } from "./read-record.ts";

/** Writes a definition's newest run as another crdshift would that holds it. */
export async function holdElsewhere(api: ApiClient, definition: SampleDefinition, change: Partial<Run>): Promise<void> {
  const record = await readRecord(definition);
  const [newest, ...older] = record.runs;
  const text = JSON.stringify({ ...record, holder: "another", runs: [{ ...newest, ...change }, ...older] });
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": text } } });
}
