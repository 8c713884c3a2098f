import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import { type ExitCode, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import type { Session } from "#lib/cli/session.ts";
import { oneLine } from "#lib/cli/terminal/printable.ts";
import { tellingIfStopped } from "#lib/cli/terminal/warn-if-interrupted.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { restoreStoredVersions } from "#lib/rewrite/commands/restore-stored-versions.ts";

/** `restore`: the versions that are named, or those that the definition's page offers. */
export async function restore(invocation: ClusterInvocation, session: Session): Promise<ExitCode> {
  const { connection, output, stop } = session;
  const { signal } = stop;
  const name = await findDefinition(invocation, session);
  const before = await readDetail(connection, name, signal);
  const versions = invocation.rest.length > 0 ? invocation.rest : offeredVersions(before);
  const act = async () => {
    await restoreStoredVersions(connection, name, versions, signal);
    return readDetail(connection, name, signal);
  };
  const crd = await tellingIfStopped({ what: "restore", definition: name, act }, session);
  const putBack = [...new Set(versions)].filter((version) => !before.storedVersions.includes(version));
  const words = `Put back ${putBack.join(", ")}: status.storedVersions of ${name} is ${crd.storedVersions.join(", ")}.`;
  await output.result(crd, oneLine(words));
  return exitCodes.done;
}

function offeredVersions({ missingStoredVersions, lastPrune, actions }: CrdDetail): string[] {
  const offered = missingStoredVersions.length > 0 ? missingStoredVersions : (lastPrune?.versions ?? []);
  if (offered.length > 0) return offered;
  throw new AppError("precondition_failed", actions.restore.refusal ?? "There is nothing to put back.", {
    nextStep: "Name the versions to put back.",
  });
}
