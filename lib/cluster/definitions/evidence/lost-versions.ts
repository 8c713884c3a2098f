import type { Connection } from "#lib/cluster/connection/connection.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { definitionKey } from "./definition-key.ts";

type Cluster = Pick<Connection, "server">;

/** Remembers that the API server has found an object stored in a version that the spec doesn't have. */
export function noteLostVersion(cluster: Cluster, uid: string, version: string): void {
  const key = definitionKey(cluster, uid);
  lost().set(key, [...new Set([...(lost().get(key) ?? []), version])]);
}

/** The versions remembered. */
export function lostVersions(cluster: Cluster, uid: string): readonly string[] {
  return lost().get(definitionKey(cluster, uid)) ?? [];
}

/** Forgets those of a definition that was deleted, or whose objects are proven. */
export function forgetLostVersions(cluster: Cluster, uid: string): void {
  lost().delete(definitionKey(cluster, uid));
}

/** By definitionKey. */
function lost(): Map<string, string[]> {
  return processWide("lost-versions", () => new Map());
}
