import { rewriteRecordSchema } from "#lib/contract/rewrite/rewrite-record.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { DefinitionJson, SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { writeRecord } from "./write-record.ts";

/** Writes a definition's newest run as if another crdshift held it. */
export async function holdElsewhere(api: ApiClient, definition: SampleDefinition, change: Partial<Run>): Promise<void> {
  const record = await readRecord(definition);
  const [newest, ...older] = record.runs;
  if (!newest) throw new Error(`${definition.name} has no run.`);
  await writeRecord(api, definition, { ...record, holder: "another", runs: [{ ...newest, ...change }, ...older] });
}

/** The definition's current crdshift record, read without crdshift. Throws if there is none. */
export async function readRecord(definition: SampleDefinition): Promise<RewriteRecord> {
  const record = recordIn(await definition.read());
  if (!record) throw new Error(`${definition.name} has no record.`);
  return record;
}

/** The record in a definition's JSON; null if it has none. */
export function recordIn({ metadata: { annotations } }: Pick<DefinitionJson, "metadata">): RewriteRecord | null {
  const text = annotations?.["crdshift.dev/rewrite"];
  return text === undefined ? null : rewriteRecordSchema.parse(JSON.parse(text));
}
