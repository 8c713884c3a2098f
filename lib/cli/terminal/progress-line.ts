import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { oneLine } from "./printable.ts";

/** Progress in the shape of the HTTP API's event stream. */
export type ProgressEvent = { event: "run"; data: Run } | { event: "dry-run"; data: DryRun };

const MAX_BAR = 40;
const MIN_BAR = 10;

/** One line of progress, with a bar if the total is known; at most `width` characters. `now` is in ms. */
export function progressLine(
  { event, data }: ProgressEvent,
  { width, now, paint }: { width: number; now: number; paint: (text: string) => string },
): string {
  switch (event) {
    case "run":
      return runLine(data, now, width, paint);
    case "dry-run": {
      const { planned, checked } = data.dryRun;
      const of = `${formatCount(checked)}/${formatCount(planned)} tried`;
      return withBar({ label: "dry run", done: checked, total: planned, rest: joined(of, data.message), width, paint });
    }
    default:
      return event satisfies never;
  }
}

function runLine(run: Run, now: number, width: number, paint: (text: string) => string): string {
  const { phase, counts, ratePerSecond, etaSeconds, statusReason, settlesAt } = run;
  const label = run.command === "cancel" ? "cancelling" : phase;
  if (phase === "settling") {
    const left = settlesAt === null ? null : formatDuration(Math.ceil((Date.parse(settlesAt) - now) / 1_000) * 1_000);
    return fitted(joined(label, left === null ? null : `${left} left`, statusReason), width);
  }
  const done = counts.total === null || counts.remaining === null ? null : counts.total - counts.remaining;
  const rest = joined(
    done === null ? null : `${formatCount(done)}/${formatCount(counts.total)}`,
    ratePerSecond === null ? null : `${formatCount(Math.round(ratePerSecond))}/s`,
    etaSeconds === null ? null : `${formatDuration(etaSeconds * 1_000)} left`,
    counts.rejected > 0 ? `${formatCount(counts.rejected)} rejected` : null,
    statusReason,
  );
  return withBar({ label, done, total: counts.total, rest, width, paint });
}

function withBar(line: {
  label: string;
  done: number | null;
  total: number | null;
  rest: string;
  width: number;
  paint: (text: string) => string;
}): string {
  const { label, done, total, rest, width, paint } = line;
  const length = Math.min(MAX_BAR, Math.floor(width / 3));
  if (done === null || total === null || total === 0 || length < MIN_BAR) return fitted(joined(label, rest), width);
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * length);
  const head = `${label} `;
  const tail = fitted(` ${String(Math.floor(share * 100)).padStart(3)}%  ${rest}`, width - head.length - length);
  return `${head}${paint("━".repeat(filled))}${"─".repeat(length - filled)}${tail}`;
}

function joined(...parts: (string | null)[]): string {
  return parts.filter(Boolean).join("  ");
}

function fitted(text: string, width: number): string {
  const line = oneLine(text);
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
