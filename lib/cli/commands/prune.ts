import { createInterface } from "node:readline/promises";
import { type ClusterInvocation, usage } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { type ExitCode, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { rewriteFirst } from "#lib/rewrite/commands/doubtful-claim.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { untilOnRecord } from "./until-on-record.ts";

const READ_WITHIN_MS = 10_000;
const STOPPED_READ_WITHIN_MS = 2_000;

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

/** The error of a prune whose verification of a proof may have found something, once that is on record, or this process no longer tries. */
async function afterRecording(error: unknown, crdName: string, context: CommandContext): Promise<unknown> {
  const wasRecording = await untilOnRecord(context, "Recording what the verification of the proof has found.");
  const wasUnrecorded = isAppError(error) && error.details?.unrecorded === true;
  if (!wasRecording && !wasUnrecorded) return error;
  // Whoever stopped it waits.
  const within = AbortSignal.timeout(context.stop.signal.aborted ? STOPPED_READ_WITHIN_MS : READ_WITHIN_MS);
  const now = await readCrd(context.connection, crdName, within).catch(() => null);
  const record = now && readableRecord(now.crd);
  // Without the proof there is nothing to prune on, whoever took it away.
  const isOnRecord = now !== null && (now.crd.record === null || (record !== null && (record.doubt !== null || record.proof === null)));
  if (isOnRecord && !wasUnrecorded) return error;
  const what =
    now === null ? "crdshift can't tell whether what it found is on record. If not," : "crdshift couldn't record what it found, so";
  const unrecorded = `${what} another crdshift may still prune on that proof. Rewrite ${crdName} before anyone prunes.`;
  const nextStep = isOnRecord ? rewriteFirst(crdName) : unrecorded;
  if (isAppError(error)) {
    const { code, message, clusterMessage, details } = error;
    return new AppError(code, message, { nextStep, clusterMessage, ...(details && { details }), cause: error });
  }
  if (!context.stop.signal.aborted) return error;
  return new AppError("precondition_failed", "The verification of the proof was stopped.", { nextStep, cause: error });
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

/** Runs an action that can't be recalled once sent. If a signal interrupts it from then on, warns that it may have gone through. */
export async function warnIfInterrupted<Value>(
  { what, definition, act }: { what: "prune" | "undo-prune" | "repair"; definition: string; act: (onWrite: () => void) => Promise<Value> },
  { output, stop, program }: CommandContext,
): Promise<Value> {
  let isSent = false;
  try {
    return await act(() => {
      isSent = true;
    });
  } catch (error) {
    if (isSent && stop.signal.aborted) output.notice(`The ${what} may have gone through. Check with: ${program} status ${definition}`);
    throw error;
  }
}
