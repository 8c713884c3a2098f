import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changedSince, patchSpec } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type PatchStep, specDifferences, underResourceVersion } from "#lib/domain/versions/version-change.ts";
import { refuseWhileCleaning } from "#lib/rewrite/guards/cleanings-here.ts";

/**
 * Applies the steps to the definition as read. If it has changed since, writes nothing and throws an AppError that says what changed.
 * @throws AppError conflict while this process cleans managedFields of its objects.
 */
export async function patchUnchangedSpec(connection: Connection, crd: Crd, steps: readonly PatchStep[], signal: AbortSignal): Promise<Crd> {
  refuseWhileCleaning(connection, crd);
  try {
    const written = await patchSpec(connection, crd.name, underResourceVersion(crd, steps), { signal });
    fleetOf(connection).noteCrd(written);
    return written;
  } catch (error) {
    throw changed(crd, await changedSince(connection, crd, error, signal), error);
  }
}

function changed(then: Crd, now: Crd, cause: unknown): AppError {
  const differences = specDifferences(then, now);
  const what = differences.length > 0 ? `: ${differences.join("; ")}` : " (none of its versions changed)";
  return new AppError("precondition_failed", `The definition changed at the last moment, so nothing was written${what}.`, {
    nextStep: "Look at what changed, then retry.",
    cause,
  });
}
