import { createInterface } from "node:readline/promises";
import { type ClusterInvocation, usage } from "#lib/cli/arguments/parse-arguments.ts";
import { type ExitCode, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import type { Session } from "#lib/cli/session.ts";
import { oneLine } from "#lib/cli/terminal/printable.ts";
import { warnIfInterrupted } from "#lib/cli/terminal/warn-if-interrupted.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";

/** `prune`: on a terminal once the name was typed, elsewhere with --confirm. */
export async function prune(invocation: ClusterInvocation, session: Session): Promise<ExitCode> {
  const { connection, output, stop, program } = session;
  const { signal } = stop;
  const name = await findDefinition(invocation, session);
  const crd = await readDetail(connection, name, signal);
  const confirm = typeof invocation.options.confirm === "string" ? invocation.options.confirm : await typedName(crd, session);
  if (confirm !== name) {
    throw usage(`The confirmation is "${confirm}", and not the definition's name. Nothing was pruned.`, `Write it whole: ${name}`);
  }
  const act = async () => {
    await pruneStoredVersions(connection, name, confirm, signal);
    return readDetail(connection, name, signal);
  };
  const pruned = await warnIfInterrupted({ what: "prune", definition: name, act }, session);
  const words = `Pruned: status.storedVersions of ${name} is ${pruned.storedVersions.join(", ")}. To undo it: ${program} undo-prune ${name}`;
  await output.result(pruned, oneLine(words));
  return exitCodes.done;
}

async function typedName(crd: CrdDetail, { stop, program }: Session): Promise<string> {
  // Nobody types a name for what is refused anyway; with --confirm the prune itself decides, on the definition as it is by then.
  if (crd.actions.prune.refusal !== null) throw new AppError("precondition_failed", crd.actions.prune.refusal);
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usage("Where nobody can be asked, a prune needs to be confirmed.", `Write: ${program} prune ${crd.name} --confirm ${crd.name}`);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  // At the end of the input there is no answer any more.
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const leftovers = crd.leftoverVersions.join(", ");
    const asked = oneLine(`${leftovers} will be removed from status.storedVersions of ${crd.name}.`);
    const question = `${asked}\nType the definition's name to prune: `;
    return (await Promise.race([lines.question(question, { signal: stop.signal }), ended])).trim();
  } finally {
    lines.close();
  }
}
