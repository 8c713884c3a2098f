import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";

/** The definition right now, for a write of it. Throws AppError precondition_failed if it is older than this process knows it. */
export async function readToWrite(connection: Connection, name: string, signal: AbortSignal): Promise<Crd> {
  const known = fleetOf(connection).lastKnown(name);
  const { crd } = await readCrd(connection, name, signal);
  if (isOlderState(crd, known)) throw olderState(crd);
  return crd;
}

/**
 * The error for a definition as read that is an older state than crdshift knows of it. A write would make it the newest, and nothing would
 * show any more that etcd was restored.
 */
export function olderState({ name }: Pick<Crd, "name">): AppError {
  return new AppError("precondition_failed", `etcd was restored from a backup: ${name} is older than crdshift knows it.`, {
    nextStep:
      "Wait until crdshift has listed the definitions again, within a minute, or ask someone who may list them to open crdshift. Check that " +
      "this one is what you expect, then retry.",
  });
}
