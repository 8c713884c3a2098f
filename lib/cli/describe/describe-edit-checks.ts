import { oneLine } from "#lib/cli/terminal/printable.ts";
import { type AppError, errorWords } from "#lib/contract/app-error.ts";
import type { EditCheck } from "#lib/contract/definition/edit-check.ts";
import { type EditVerdict, editCauseWords, editVerdictWords } from "#lib/domain/definition/edit-verdict.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { table } from "./table.ts";

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
