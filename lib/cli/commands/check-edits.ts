import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { type ExitCode, exitCodeOfEdits, exitCodeOfError, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { table } from "#lib/cli/terminal/table.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { checkEdit, versionToTellOf } from "#lib/cluster/definitions/check-edit.ts";
import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import { oneLine } from "#lib/cluster/transport/printable.ts";
import { type AppError, appErrorBody, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { EditCheck } from "#lib/contract/definition/edit-check.ts";
import { type EditVerdict, editCauseWords, editVerdictWords } from "#lib/domain/definition/edit-verdict.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** Validating a definition is work for the API server: its schemas have up to a megabyte. */
const CONCURRENCY = 4;

/** Runs `check-edits` for one definition or all. */
export async function checkEdits(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const { connection, output, stop } = context;
  const withCode = invocation.options["exit-code"] === true;
  if (invocation.definition) {
    const crd = await findDefinition(invocation, context);
    const check = await checkEdit(connection, crd, await versionToTellOf(connection, stop.signal), stop.signal);
    await output.result(check, describeEditCheck(check));
    return withCode ? exitCodeOfEdits([check]) : exitCodes.done;
  }
  const { checks, failures } = await checkAll(connection, stop.signal);
  const [first] = failures;
  if (first && checks.length === 0) throw first.error;
  const document = { items: checks, failures: failures.map(({ crd, error }) => ({ crd, ...appErrorBody(error) })) };
  await output.result(document, describeEditChecks(checks, failures));
  const code = withCode ? exitCodeOfEdits(checks) : exitCodes.done;
  return first && code !== exitCodes.rejected ? exitCodeOfError(first.error) : code;
}

/** Checks every definition; one that fails does not hide the rest. Throws an AppError that would fail them all. */
async function checkAll(connection: Connection, signal: AbortSignal): Promise<{ checks: EditCheck[]; failures: FailedCheck[] }> {
  const names = (await listCrdNames(connection, signal)).toSorted();
  const serverVersion = await versionToTellOf(connection, signal);
  const checks: EditCheck[] = [];
  const failures: FailedCheck[] = [];
  await forEachConcurrently(names, { concurrency: CONCURRENCY, signal }, async (crd) => {
    try {
      checks.push(await checkEdit(connection, crd, serverVersion, signal));
    } catch (error) {
      signal.throwIfAborted();
      if (!isAppError(error) || failsAll(error)) throw error;
      // Deleted since it was listed.
      if (error.code !== "not_found") failures.push({ crd, error });
    }
  });
  return { checks, failures };
}

function failsAll({ code }: AppError): boolean {
  return code === "cluster_unreachable" || code === "unauthenticated";
}

/** A definition that could not be checked. */
export interface FailedCheck {
  crd: string;
  error: AppError;
}

/** The verdict on one definition, with every cause and its field. */
export function describeEditCheck({ result }: EditCheck): string {
  const fields = result.verdict === "refused" ? result.causes.map(({ field }) => field) : [];
  const causes = causesOf(result).map((words, index) => [oneLine(words), fields[index] && `  ${oneLine(fields[index])}`]);
  return [editVerdictWords(result), ...causes.flat()].filter(Boolean).join("\n");
}

const verdicts = ["refused", "failed", "not tried", "accepted"] as const;
type Verdict = (typeof verdicts)[number];

/** The verdict on each definition with its first cause, refused ones first, and the number of each verdict. */
export function describeEditChecks(checks: readonly EditCheck[], failures: readonly FailedCheck[]): string {
  const rows = [
    ...checks.map(({ crd, result }) => ({ crd, verdict: verdictOf(result), why: causesOf(result)[0] ?? "" })),
    ...failures.map(({ crd, error }) => ({ crd, verdict: "failed" as const, why: errorWords(error) })),
  ].toSorted((one, other) => verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict) || (one.crd < other.crd ? -1 : 1));
  if (rows.length === 0) return "No definitions found.";
  const counts = verdicts.flatMap((verdict) => {
    const count = rows.filter((row) => row.verdict === verdict).length;
    return count > 0 ? [`${formatCount(count)} ${verdict}`] : [];
  });
  const cells = rows.map(({ crd, verdict, why }) => [crd, verdict, why]);
  return `${table([["NAME", "NEXT EDIT", "WHY"], ...cells])}\n\n${formatCountOf(rows.length, "definition")}: ${counts.join(", ")}`;
}

function verdictOf({ verdict }: EditVerdict): Verdict {
  return verdict === "not-tried" ? "not tried" : verdict;
}

function causesOf(result: EditVerdict): string[] {
  switch (result.verdict) {
    case "accepted":
      return [];
    case "refused":
      return result.causes.length > 0 ? result.causes.map(editCauseWords) : [result.message];
    case "not-tried":
      return [result.because];
    default:
      return result satisfies never;
  }
}
