import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { FIELD_MANAGER } from "#lib/domain/objects/own-entries.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { isMigrationOf, type Migration, migrationName } from "#lib/domain/rewrite/migration.ts";
import { migrationFromJson, RUN_ANNOTATION } from "./list-migrations.ts";
import { migrationApiVersion, migrationPath, notServedHere } from "./migration-apis.ts";

const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** A StorageVersionMigration of the cluster's own engine, at a resourceVersion. */
export interface InTreeMigration extends Migration {
  resourceVersion: string;
}

/**
 * Asks the cluster's own engine to migrate a definition's objects for a run: creates a StorageVersionMigration named after the run and
 * the generation, or finds the one that an earlier attempt created. `version` is the API version of StorageVersionMigration.
 * @throws AppError precondition_failed if someone else created one with that name; as unlessNotServed.
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
    apiVersion: migrationApiVersion(DELEGATE, version),
    kind: "StorageVersionMigration",
    metadata: { name, annotations: { [RUN_ANNOTATION]: run.id, "crdshift.dev/started-by": run.startedBy } },
    spec: { resource: { group: crd.group, resource: crd.plural } },
  };
  try {
    const { json } = await requestJson(connection, {
      method: "POST",
      path: `${migrationPath(DELEGATE, version)}?fieldManager=${FIELD_MANAGER}`,
      body: { type: "application/json", json: JSON.stringify(body) },
      runId: run.id,
      signal,
    });
    return inTreeMigration(json);
  } catch (error) {
    if (clusterAnswer(error)?.reason !== "AlreadyExists") throw unlessNotServed(error, version);
    const existing = await readMigration(connection, version, name, signal);
    if (existing && isMigrationOf(existing, { id: run.id, crd: crd.name })) return existing;
    throw new AppError(
      "precondition_failed",
      `A StorageVersionMigration named ${name} already exists, and it doesn't belong to this rewrite.`,
      {
        nextStep: "Check it, delete it if it isn't needed, then start a new rewrite.",
        cause: error,
      },
    );
  }
}

/** The cluster's own StorageVersionMigration with that name; null if there is none. Throws as unlessNotServed. */
export async function readMigration(
  connection: Connection,
  version: string,
  name: string,
  signal: AbortSignal,
): Promise<InTreeMigration | null> {
  try {
    const { json } = await requestJson(connection, { path: migrationPath(DELEGATE, version, name), signal });
    return inTreeMigration(json);
  } catch (error) {
    if (isNoSuch(error, name)) return null;
    throw unlessNotServed(error, version);
  }
}

/**
 * Deletes a StorageVersionMigration before a controller picks it up. Deleting one that already runs doesn't stop it: the controller
 * continues, and never resets the definition's condition.
 * @returns false, without deleting, if it has changed since it was read: a controller may have just picked it up.
 * @throws AppError as unlessNotServed.
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
      path: migrationPath(DELEGATE, version, name),
      body: { type: "application/json", json: JSON.stringify(body) },
      signal,
    });
    return true;
  } catch (error) {
    if (isNoSuch(error, name)) return true;
    if (clusterAnswer(error)?.status === 409) return false;
    throw unlessNotServed(error, version);
  }
}

function isNoSuch(error: unknown, name: string): boolean {
  const answer = clusterAnswer(error);
  return answer?.reason === "NotFound" && answer.name === name;
}

/** The error, but as notServedHere if the API server that answered doesn't serve the API at that version. */
function unlessNotServed(error: unknown, version: string): unknown {
  return clusterAnswer(error)?.status === 404 ? notServedHere(migrationApiVersion(DELEGATE, version), error) : error;
}

function inTreeMigration(json: unknown): InTreeMigration {
  return { ...migrationFromJson(DELEGATE, json), resourceVersion: versionSchema.parse(json).metadata.resourceVersion };
}
