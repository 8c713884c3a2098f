import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { FIELD_MANAGER, requestJson } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type Migration, migrationName } from "#lib/domain/rewrite/migration.ts";
import { migrationApiVersion, migrationPath } from "./migration-apis.ts";
import { migrationFromJson, RUN_ANNOTATION } from "./migration-from-json.ts";

const engine = "in-tree";
const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** A StorageVersionMigration of the cluster's own engine, as it was at a resourceVersion. */
export interface InTreeMigration extends Migration {
  resourceVersion: string;
}

/**
 * Asks the cluster's own engine to migrate a definition's objects for a run: creates the StorageVersionMigration with the run's name for
 * that generation, or finds the one that an earlier try created. `version` is the API's.
 * @throws AppError precondition_failed where somebody else has made one of that name.
 */
export async function createMigration(
  connection: Connection,
  version: string,
  crd: Pick<Crd, "name" | "group" | "plural">,
  run: { id: string; startedBy: string },
  generation: number,
  signal: AbortSignal,
): Promise<InTreeMigration> {
  const name = migrationName(run.id, generation);
  const body = {
    apiVersion: migrationApiVersion(engine, version),
    kind: "StorageVersionMigration",
    metadata: { name, annotations: { [RUN_ANNOTATION]: run.id, "crdshift.dev/started-by": run.startedBy } },
    spec: { resource: { group: crd.group, resource: crd.plural } },
  };
  try {
    const { json } = await requestJson(connection, {
      method: "POST",
      path: `${migrationPath(engine, version)}?fieldManager=${FIELD_MANAGER}`,
      body: { type: "application/json", json: JSON.stringify(body) },
      runId: run.id,
      signal,
    });
    return inTreeMigration(json);
  } catch (error) {
    if (clusterAnswer(error)?.reason !== "AlreadyExists") throw error;
    const existing = await readMigration(connection, version, name, signal);
    if (existing?.runId === run.id && existing.resource === crd.name) return existing;
    throw new AppError("precondition_failed", `There is a StorageVersionMigration ${name} that is not this run's.`, {
      nextStep: "Look at it, and delete it if nobody needs it; then start a new rewrite.",
      cause: error,
    });
  }
}

/** The cluster's own StorageVersionMigration with that name; null when there is none. */
export async function readMigration(
  connection: Connection,
  version: string,
  name: string,
  signal: AbortSignal,
): Promise<InTreeMigration | null> {
  try {
    const { json } = await requestJson(connection, { path: migrationPath(engine, version, name), signal });
    return inTreeMigration(json);
  } catch (error) {
    if (clusterAnswer(error)?.reason === "NotFound") return null;
    throw error;
  }
}

/**
 * Deletes a StorageVersionMigration, so that no controller picks it up later. One that runs would only be forgotten: the controller goes
 * on with it, and never takes the definition's condition back.
 * @returns false, and nothing is deleted, when it has changed since it was read: a controller may just have picked it up.
 */
export async function deleteMigration(
  connection: Connection,
  version: string,
  { name, uid, resourceVersion }: Pick<InTreeMigration, "name" | "uid" | "resourceVersion">,
  signal: AbortSignal,
): Promise<boolean> {
  const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid, resourceVersion } };
  try {
    await requestJson(connection, {
      method: "DELETE",
      path: migrationPath(engine, version, name),
      body: { type: "application/json", json: JSON.stringify(body) },
      signal,
    });
    return true;
  } catch (error) {
    const status = clusterAnswer(error)?.status;
    if (status === 404) return true;
    if (status === 409) return false;
    throw error;
  }
}

function inTreeMigration(json: unknown): InTreeMigration {
  return { ...migrationFromJson(engine, json), resourceVersion: versionSchema.parse(json).metadata.resourceVersion };
}
