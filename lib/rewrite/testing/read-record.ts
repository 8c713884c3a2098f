import { rewriteRecordSchema } from "#lib/contract/rewrite-record.ts";
import type { RewriteRecord } from "#lib/domain/rewrite.ts";
import type { DefinitionJson, SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

/** crdshift's record as the definition has it now, read apart from crdshift. Throws when there is none. */
export async function readRecord(definition: SampleDefinition): Promise<RewriteRecord> {
  const record = recordIn(await definition.read());
  if (!record) throw new Error(`${definition.name} has no record.`);
  return record;
}

/** The record in the JSON of a definition; null when it has none. */
export function recordIn({ metadata: { annotations } }: Pick<DefinitionJson, "metadata">): RewriteRecord | null {
  const text = annotations?.["crdshift.dev/rewrite"];
  return text === undefined ? null : rewriteRecordSchema.parse(JSON.parse(text));
}
