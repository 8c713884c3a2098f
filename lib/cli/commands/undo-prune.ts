import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { type ExitCode, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { undoesPrune } from "#lib/domain/record/last-prune.ts";
import { relistableVersions } from "#lib/domain/record/relistable-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { warnIfInterrupted } from "./warn-if-interrupted.ts";

/** Runs `undo-prune`: for the named versions, or those of the last prune that it can put back. */
export function undoPrune(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const undoable = (crd: CrdDetail) => (crd.lastPrune ? relistableVersions(crd.lastPrune.versions, crd) : []);
  return restore("undo-prune", undoable, invocation, context);
}

/** Runs `repair`: for the named versions, or those removed without proof that it can put back. */
export function repair(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  return restore("repair", (crd) => relistableVersions(crd.missingStoredVersions, crd), invocation, context);
}

async function restore(
  what: "undo-prune" | "repair",
  offered: (crd: CrdDetail) => string[],
  invocation: ClusterInvocation,
  context: CommandContext,
): Promise<ExitCode> {
  const { connection, output, stop } = context;
  const { signal } = stop;
  const name = await findDefinition(invocation, context);
  const before = await readDetail(connection, name, signal);
  const versions = invocation.rest.length > 0 ? invocation.rest : offered(before);
  if (versions.length === 0) throw nothingToDo(what);
  const act = async (onWrite: () => void) => {
    onWrite();
    await relistStoredVersions(connection, name, versions, signal);
    return readDetail(connection, name, signal);
  };
  const crd = await warnIfInterrupted({ what, definition: name, act }, context);
  const added = [...new Set(versions)].filter((version) => !before.storedVersions.includes(version));
  // A version that is named need not be one that was pruned.
  const isUndo = undoesPrune(added, before.lastPrune, before.missingStoredVersions);
  const done = isUndo ? `Undid the prune of ${added.join(", ")}` : `Added ${added.join(", ")}`;
  const words = `${done}: status.storedVersions of ${name} is now ${crd.storedVersions.join(", ")}.`;
  await output.result(crd, oneLine(words));
  return exitCodes.done;
}

function nothingToDo(what: "undo-prune" | "repair"): AppError {
  const nothing = what === "repair" ? "There is nothing to repair." : "There is no prune to undo.";
  return new AppError("precondition_failed", nothing, { nextStep: "Name the versions to add." });
}
