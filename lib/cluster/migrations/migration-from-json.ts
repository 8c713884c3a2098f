import { z } from "zod";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { time } from "#lib/contract/time.ts";
import { DELEGATE, type MigrationEngine } from "#lib/domain/rewrite/engines.ts";
import { isNamedFor, type Migration, migrationProgress } from "#lib/domain/rewrite/migration.ts";

/** The annotation on a StorageVersionMigration that names the run that created it. */
export const RUN_ANNOTATION = "crdshift.dev/run";

const text = z.string().catch("");
// No reader understands a year beyond 9999.
const timeOrEmpty = time.catch("");

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: text,
    creationTimestamp: z.string(),
    annotations: z.record(z.string(), z.string()).catch({}),
  }),
  // The cluster's own engine names the group and resource; OpenShift's also names the version.
  spec: z.object({ resource: z.object({ group: text, resource: text }).catch({ group: "", resource: "" }) }),
  status: z
    .object({
      conditions: z
        .array(
          z.object({
            type: text,
            status: text,
            message: text.transform(plainText),
            lastTransitionTime: timeOrEmpty,
            // OpenShift's engine has no transition time.
            lastUpdateTime: timeOrEmpty,
          }),
        )
        .catch([]),
    })
    .catch({ conditions: [] }),
});

/** A StorageVersionMigration of either engine. Throws ZodError if it has no name, creation time or spec. */
export function migrationFromJson(engine: MigrationEngine, json: unknown): Migration {
  const { metadata, spec, status } = schema.parse(json);
  const { group, resource } = spec.resource;
  const run = metadata.annotations[RUN_ANNOTATION];
  const conditions = status.conditions.map(({ lastUpdateTime, ...condition }) => ({
    ...condition,
    lastTransitionTime: condition.lastTransitionTime || lastUpdateTime,
  }));
  return {
    engine,
    name: metadata.name,
    uid: metadata.uid,
    resource: group ? `${resource}.${group}` : resource,
    ...migrationProgress(conditions),
    createdAt: metadata.creationTimestamp,
    runId: engine === DELEGATE && run !== undefined && isNamedFor(metadata.name, run) ? run : null,
  };
}
