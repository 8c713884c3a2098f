import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

/** Writes crdshift's record into a definition's annotation, as whoever may patch the definition can, by any field manager's name. */
export async function writeRecord(
  api: ApiClient,
  definition: SampleDefinition,
  record: RewriteRecord,
  manager = "crdshift",
): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}?fieldManager=${manager}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": JSON.stringify(record) } } });
}
