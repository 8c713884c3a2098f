import type { Connection } from "#lib/cluster/connection/connection.ts";
import { changedSince, patchSpec } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { AppError, isUnconfirmed } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { areApplied } from "#lib/domain/versions/applied-steps.ts";
import { type PatchStep, underResourceVersion } from "#lib/domain/versions/patch-step.ts";
import { specDifferences } from "#lib/domain/versions/version-change.ts";
import { MOST_NAMED } from "#lib/domain/wording/first-of.ts";
import { refuseWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { recordAction, recordUnconfirmed, type Told } from "#lib/rewrite/record/record-action.ts";
import { writtenUnanswered } from "#lib/rewrite/record/unanswered-write.ts";

/** A change of a definition's spec, and the action by which it is recorded. */
interface SpecChange {
  steps: readonly PatchStep[];
  action: Told;
}

/**
 * Makes the change to the definition as read, and records it. If the definition has changed since, writes nothing and throws an AppError
 * that says what changed. If the answer is missing, a look at the definition decides; if nothing can be seen, the action is recorded as
 * unconfirmed.
 * @throws AppError conflict while this process cleans managedFields of its objects.
 */
export async function patchUnchangedSpec(
  connection: Connection,
  crd: Crd,
  { steps, action }: SpecChange,
  signal: AbortSignal,
): Promise<Crd> {
  refuseWhileCleaning(connection, crd);
  signal.throwIfAborted();
  const note = fleetOf(connection).beginRead();
  const written = await patchSpec(connection, crd.name, underResourceVersion(crd, steps), { signal })
    .catch((error: unknown) => writtenUnanswered(connection, crd, error, (now, exact) => isMade(steps, crd, now, exact)))
    .catch(async (error: unknown) => {
      if (!isUnconfirmed(error)) throw changed(crd, await changedSince(connection, crd, error, signal), error);
      recordUnconfirmed(connection, crd, action);
      throw error;
    });
  note(written);
  recordAction(connection, crd.name, action, crd.uid);
  return written;
}

// A change that came first would have refused this one; what came after it may have undone it.
function isMade(steps: readonly PatchStep[], before: Crd, now: Crd, exact: ExactJson): boolean | null {
  const changes = now.generation - before.generation;
  return changes > 1 ? null : changes === 1 && areApplied(steps, exact);
}

function changed(then: Crd, now: Crd, cause: unknown): AppError {
  const differences = specDifferences(then, now);
  const [first, more] = [differences.slice(0, MOST_NAMED).join("; "), differences.length > MOST_NAMED ? "; and more" : ""];
  const what = first ? `: ${first}${more}` : " (none of its versions changed)";
  return new AppError("precondition_failed", `The definition changed at the last moment, so nothing was written${what}.`, {
    nextStep: "Look at what changed, then retry.",
    cause,
  });
}
