import { createInterface } from "node:readline/promises";
import { type ClusterInvocation, usage } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { type ExitCode, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { afterRecording } from "./after-recording.ts";
import { warnIfInterrupted } from "./warn-if-interrupted.ts";

/** Runs `prune` once confirmed: by typing the name on a terminal, elsewhere with --confirm. */
export async function prune(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const { connection, output, stop, program } = context;
  const { signal } = stop;
  const name = await findDefinition(invocation, context);
  const crd = await readDetail(connection, name, signal);
  const confirm = typeof invocation.options.confirm === "string" ? invocation.options.confirm : await typedName(crd, context);
  if (confirm !== name) {
    throw usage(`The confirmation "${confirm}" does not match the definition's name. Nothing was pruned.`, `Enter the full name: ${name}`);
  }
  const act = async (onWrite: () => void) => {
    await pruneStoredVersions(connection, name, confirm, signal, { onWait: notingWaits(context), onWrite });
    return readDetail(connection, name, signal);
  };
  const pruned = await warnIfInterrupted({ what: "prune", definition: name, act }, context).catch(async (error: unknown) => {
    throw await afterRecording(error, name, context);
  });
  const words = `Pruned: status.storedVersions of ${name} is now ${pruned.storedVersions.join(", ")}. To undo: ${program} undo-prune ${name}`;
  await output.result(pruned, oneLine(words));
  return exitCodes.done;
}

/** Tells once why a prune waits before it verifies a proof that another crdshift recorded, and again if the reason changes. */
function notingWaits({ output }: CommandContext): (because: string, until: number | null) => void {
  let told = "";
  return (because, until) => {
    if (because === told) return;
    told = because;
    const left = until === null ? "" : ` for ${formatDuration(until - Date.now())}`;
    output.notice(oneLine(`Another crdshift recorded the proof. Before it is verified, prune waits${left}. ${because}`));
  };
}

async function typedName(crd: CrdDetail, { stop, program }: CommandContext): Promise<string> {
  // Don't ask for a name if the prune would be refused. With --confirm, the prune itself decides, on the latest definition.
  if (crd.actions.prune.refusal !== null) throw new AppError("precondition_failed", crd.actions.prune.refusal);
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw usage("Without a terminal, prune needs --confirm.", `Run: ${program} prune ${crd.name} --confirm ${crd.name}`);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  // If the input ends, no answer will come.
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const leftovers = crd.leftoverVersions.join(", ");
    const asked = oneLine(`This removes ${leftovers} from status.storedVersions of ${crd.name}.`);
    const question = `${asked}\nType the definition's name to prune: `;
    return (await Promise.race([lines.question(question, { signal: stop.signal }), ended])).trim();
  } finally {
    lines.close();
  }
}
