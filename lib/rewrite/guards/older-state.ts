import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";

/** The definition right now, for a write of it. Throws AppError precondition_failed if it is older than this process knows it. */
export async function readToWrite(connection: Connection, name: string, signal: AbortSignal): Promise<Crd> {
  const known = fleetOf(connection).lastKnown(name);
  const { crd } = await readCrd(connection, name, signal);
  refuseOlder(connection, crd, known);
  return crd;
}

/**
 * Refuses to write to a definition as read if it is an older state than the one known before, and has the definitions listed again. A write
 * would make it the newest, and nothing would show any more that etcd was restored.
 * @throws AppError precondition_failed.
 */
export function refuseOlder(connection: Connection, crd: Crd, known: StateOfDefinition | null): void {
  if (!isOlderState(crd, known)) return;
  fleetOf(connection).listAgain();
  throw new AppError("precondition_failed", `etcd was restored from a backup: ${crd.name} is older than crdshift knows it.`, {
    nextStep:
      "Wait until crdshift has listed the definitions again, within a minute; if you may not list them, ask someone who may to open crdshift. " +
      "Check that this one is what you expect, then retry.",
  });
}
