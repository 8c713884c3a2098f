import { isDeepStrictEqual } from "node:util";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { writeStoredVersions } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { readToWrite } from "#lib/rewrite/guards/older-state.ts";

const MAX_ATTEMPTS = 5;

/** A change of status.storedVersions. */
interface ListChange {
  listed: (crd: Crd) => string[];
  refusal: (crd: Crd) => Refusal | null;
  /** What to say if the definition has changed, so that nothing was written. */
  changed: string;
}

/**
 * Writes status.storedVersions of a definition as read. A controller may answer each write of the definition with one of its own: where
 * that changed nothing on which the change relies, the definition is read and written again, at most five times.
 * @throws AppError precondition_failed, with nothing written, if the definition has changed otherwise.
 */
export async function writeUnchanged(connection: Connection, read: Crd, change: ListChange, signal: AbortSignal): Promise<Crd> {
  let crd = read;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const note = fleetOf(connection).beginRead();
      const written = await writeStoredVersions(connection, crd, change.listed(crd), signal);
      note(written);
      return written;
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict")) throw error;
      if (attempt >= MAX_ATTEMPTS) throw hasChanged(change, error);
      crd = await readToWrite(connection, read.name, signal);
      const migrations = await readMigrationsOf(connection, read.name, signal);
      if (!isAsRead(crd, read) || change.refusal({ ...crd, ...migrations })) throw hasChanged(change, error);
    }
  }
}

function isAsRead(now: Crd, read: Crd): boolean {
  const relied = ({ uid, generation, storedVersions, record }: Crd) => ({ uid, generation, storedVersions, record });
  return isDeepStrictEqual(relied(now), relied(read));
}

function hasChanged({ changed }: ListChange, cause: AppError): AppError {
  return new AppError("precondition_failed", changed, {
    nextStep: "Look at what changed, then retry.",
    clusterMessage: cause.clusterMessage,
    cause,
  });
}
