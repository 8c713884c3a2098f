import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { pathSegment, requestJson } from "#lib/cluster/transport/request.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import type { MigrationApi } from "#lib/contract/rewrite/migration.ts";
import { DELEGATE, type MigrationEngine, migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

const TIMEOUT_MS = 10_000;
const groupSchema = z.object({ versions: z.array(z.object({ version: z.string() })) });
const resourcesSchema = z.object({ resources: z.array(z.object({ name: z.string() })) });

/** As long as an upgrade of the API servers may take. */
const SERVED_LATELY_MS = 60 * 60_000;

/** Where an engine's API was seen to be served, with when, by performance.now(). */
function servedAt(): Map<string, number> {
  return processWide("migration-apis", () => new Map());
}

/**
 * Whether one of the cluster's API servers has served an engine's API within the last hour: while one that doesn't answers, its migrations
 * aren't known, and may go on.
 */
export function wasServedLately({ server }: Pick<Connection, "server">, engine: MigrationEngine): boolean {
  const at = servedAt().get(`${engine} ${server}`);
  return at !== undefined && performance.now() - at < SERVED_LATELY_MS;
}

/**
 * The version at which the API server serves an engine's StorageVersionMigrations, from discovery; null if it doesn't.
 * @throws AppError as notServedHere if two API servers answered, of which one does; the request's errors.
 */
export async function findMigrationApi(connection: Connection, engine: MigrationEngine, signal: AbortSignal): Promise<string | null> {
  const { group, versions } = migrationApiOf[engine];
  try {
    const { json } = await requestJson(connection, { path: `/apis/${group}`, signal, timeoutMs: TIMEOUT_MS });
    const offered = groupSchema.parse(json).versions.map(({ version }) => version);
    for (const version of versions.filter((known) => offered.includes(known))) {
      const path = `/apis/${group}/${version}`;
      const answer = await requestJson(connection, { path, signal, timeoutMs: TIMEOUT_MS }).catch((error: unknown) => {
        // One API server has just offered it.
        throw clusterAnswer(error)?.status === 404 ? notServedHere(migrationApiVersion(engine, version), error) : error;
      });
      const { resources } = resourcesSchema.parse(answer.json);
      if (!resources.some(({ name }) => name === "storageversionmigrations")) continue;
      servedAt().set(`${engine} ${connection.server}`, performance.now());
      return version;
    }
    return null;
  } catch (error) {
    if (clusterAnswer(error)?.status === 404) return null;
    throw error;
  }
}

/** The version at which the cluster's own engine's API is served, where it must be: a migration may exist. Throws AppError notServedHere. */
export async function requireOwnApi(connection: Connection, signal: AbortSignal): Promise<string> {
  const version = await findMigrationApi(connection, DELEGATE, signal);
  if (version === null) throw notServedHere(migrationApiOf[DELEGATE].group);
  return version;
}

/** As an outage: one of another release has answered, and may take turns with the others. */
export function notServedHere(api: string, cause?: unknown): AppError {
  return new AppError("cluster_unreachable", `An API server answered that doesn't serve ${api}.`, {
    ...{ nextStep: "Try again once all API servers run the same release.", cause },
  });
}

/** Whether and at which version an engine's API is served, or why that is unknown. Throws only on abort. */
export async function readMigrationApi(connection: Connection, engine: MigrationEngine, signal: AbortSignal): Promise<MigrationApi> {
  try {
    const version = await findMigrationApi(connection, engine, signal);
    return version === null ? { status: "not-served" } : { status: "served", version };
  } catch (error) {
    signal.throwIfAborted();
    return apiStatusOf(error);
  }
}

/** What an error from an engine's API says about that API. */
export function apiStatusOf(error: unknown): MigrationApi {
  const answer = clusterAnswer(error);
  if (answer?.status === 404) return { status: "not-served" };
  return { status: answer?.status === 403 && !answer.isEarlyDenial ? "denied" : "failed", message: answer?.message || errorMessage(error) };
}

/** The path of an engine's StorageVersionMigrations, or of the one with `name`. */
export function migrationPath(engine: MigrationEngine, version: string, name?: string): string {
  const all = `/apis/${migrationApiOf[engine].group}/${version}/storageversionmigrations`;
  return name === undefined ? all : `${all}/${pathSegment(name)}`;
}

/** `apiVersion` of an engine's StorageVersionMigrations. */
export function migrationApiVersion(engine: MigrationEngine, version: string): string {
  return `${migrationApiOf[engine].group}/${version}`;
}
