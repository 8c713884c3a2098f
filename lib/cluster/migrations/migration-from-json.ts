import { z } from "zod";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { time } from "#lib/contract/time.ts";
import { isNamedFor, type Migration, type MigrationEngine, migrationProgress } from "#lib/domain/rewrite/migration.ts";

/** Names the run that delegated to it, on the StorageVersionMigration. */
export const RUN_ANNOTATION = "crdshift.dev/run";

const text = z.string().catch("");
// A year beyond 9999 comes as a time that none of those who read it know.
const timeOrEmpty = time.catch("");

const schema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: text,
    creationTimestamp: z.string(),
    annotations: z.record(z.string(), z.string()).catch({}),
  }),
  // The cluster's own engine names group and resource; OpenShift's the version besides.
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

/** A StorageVersionMigration, of either engine. Throws ZodError when it has no name, creation time or spec. */
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
    runId: engine === "in-tree" && run !== undefined && isNamedFor(metadata.name, run) ? run : null,
  };
}
