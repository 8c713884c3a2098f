import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readCrd } from "./crds.ts";

/**
 * The definition as it is now, if it has changed since it was read and a patch under its resourceVersion failed for that. Throws the
 * patch's error if that is not why.
 */
export async function changedSince(connection: Connection, crd: Crd, error: unknown, signal: AbortSignal): Promise<Crd> {
  const answer = clusterAnswer(error);
  // A failed test of a list position is a 422 without fields, even if only the list has changed.
  const mayBeOutdated = answer?.status === 409 || (answer?.status === 422 && answer.fields.length === 0);
  if (!mayBeOutdated) throw error;
  const { crd: now } = await readCrd(connection, crd.name, signal);
  if (now.uid === crd.uid && now.resourceVersion === crd.resourceVersion) throw error;
  return now;
}
