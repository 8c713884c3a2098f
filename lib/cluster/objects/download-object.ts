import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestBytes } from "#lib/cluster/transport/request.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type CustomResource, objectPath } from "./custom-objects.ts";

/** One object at a version as the API server gives it, in pieces as they arrive: however large, it takes no memory. */
export function downloadObject(
  connection: Connection,
  resource: CustomResource,
  object: ObjectName,
  { version, signal }: { version: string; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  return requestBytes(connection, { path: objectPath(resource, version, object), timeoutMs: 60_000, signal });
}
