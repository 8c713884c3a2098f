import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { countManagedFields } from "#lib/cluster/objects/count-managed-fields.ts";

const WITHIN_MS = 5_000;

/**
 * Counts the versions that a definition's managedFields name, on which its state depends. A slow or failed count leaves that unknown.
 * Throws the signal's reason.
 */
export async function tryCountManagedFields(connection: Connection, name: string, signal: AbortSignal): Promise<void> {
  try {
    const crd = await readKnownCrd(connection, name, signal);
    for await (const _ of countManagedFields(connection, crd, AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)])));
  } catch {
    signal.throwIfAborted();
  }
}
