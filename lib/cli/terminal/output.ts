import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import { oneLine, printable } from "#lib/cluster/transport/printable.ts";
import { appErrorBody, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorBody } from "#lib/contract/error.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { localTimes } from "#lib/domain/wording/local-time.ts";
import { escapedJson } from "#lib/domain/wording/quoted.ts";
import { withKubectl } from "#lib/domain/wording/with-kubectl.ts";

/** A standard stream to write to. */
interface Sink {
  isTTY?: boolean;
  columns?: number;
  write(text: string, done: () => void): boolean;
}

/**
 * Everything that crdshift prints. Standard output gets the result, once; with json, also an error in its place. Standard error gets
 * a bar and text on a terminal, otherwise lines of JSON; and errors as text unless standard output has them.
 */
export interface Output {
  result(document: unknown, words: string): Promise<void>;
  progress(event: ProgressEvent): void;
  notice(message: string): void;
  /** A log line, already JSON. A terminal shows only its warnings and errors. */
  log(line: string): void;
  error(error: unknown): Promise<void>;
}

const EACH_LINE_MS = 1_000;
const CLEAR_LINE = "\r\u001b[2K";
/** For terminals that report no width, or 0. */
const DEFAULT_WIDTH = 80;

export function createOutput(options: {
  format: ClusterInvocation["output"];
  stdout: Sink;
  stderr: Sink;
  /** Colors the completed part of the bar, if colors are on. */
  paint: (text: string) => string;
  /** The call of kubectl in suggested commands, with the kubeconfig and context that were chosen. */
  kubectl: string;
}): Output {
  const { format, stdout, stderr, paint, kubectl } = options;
  const onTerminal = stderr.isTTY === true;
  let barIsShown = false;
  let told = { phase: "", at: 0 };

  const write = (sink: Sink, text: string) => new Promise<void>((resolve) => void sink.write(text, resolve));
  const tell = (text: string) => {
    const cleared = barIsShown ? CLEAR_LINE : "";
    barIsShown = false;
    return write(stderr, `${cleared}${text}`);
  };
  const json = (value: unknown) => escapedJson(JSON.stringify(value, null, 2));
  const line = (value: unknown) => void tell(`${escapedJson(JSON.stringify(value))}\n`);

  return {
    async result(document, words) {
      if (barIsShown) await tell("");
      await write(stdout, format === "json" ? `${json(document)}\n` : `${printable(withKubectl(words, kubectl))}\n`);
    },
    progress(event) {
      if (onTerminal) {
        const bar = progressLine(event, { width: (stderr.columns || DEFAULT_WIDTH) - 1, now: Date.now(), paint, kubectl });
        void tell(bar);
        barIsShown = true;
        return;
      }
      const phase = `${event.data.phase} ${"command" in event.data ? event.data.command : ""}`;
      if (phase === told.phase && Date.now() - told.at < EACH_LINE_MS) return;
      told = { phase, at: Date.now() };
      line(event);
    },
    notice(message) {
      if (onTerminal) void tell(`${oneLine(withKubectl(message, kubectl))}\n`);
      else line({ event: "notice", data: { message } });
    },
    log(text) {
      const warning = onTerminal ? warningOf(text) : null;
      if (!onTerminal) void tell(`${escapedJson(text)}\n`);
      else if (warning !== null) void tell(`${oneLine(withKubectl(warning, kubectl))}\n`);
    },
    async error(error) {
      const body = errorBody(error);
      if (format === "json") await write(stdout, `${json(body)}\n`);
      if (format === "json" && (!onTerminal || stdout.isTTY)) return;
      const { message, cause, nextStep } = body.error;
      const told = (text: string) => inFurtherLines(withKubectl(localTimes(text, Date.now()), kubectl));
      const lines = [`Error: ${told(message)}`, cause && oneLine(`Cause: ${cause}`), nextStep && told(nextStep)];
      await tell(`${printable(lines.filter(Boolean).join("\n"))}\n`);
    },
  };
}

// Indents all lines but the first, so that quoted text can't pass for a line from crdshift.
function inFurtherLines(text: string): string {
  return text.replaceAll(/\r?\n/g, "\n  ");
}

/** Any thrown value in the contract's shape. */
function errorBody(error: unknown): ErrorBody {
  if (isAppError(error)) return appErrorBody(error);
  return { error: { code: "internal", message: errorMessage(error), nextStep: "Please report it." } };
}

/** The message of a JSON log line at level warn or error; null at other levels. */
function warningOf(line: string): string | null {
  const { level, message }: { level?: unknown; message?: unknown } = JSON.parse(line);
  return (level === "warn" || level === "error") && typeof message === "string" ? message : null;
}

/** Progress, of runs and dry runs in the shape of the HTTP API's event stream. */
type ProgressEvent =
  | { event: "run"; data: Run }
  | { event: "dry-run"; data: DryRun }
  /** Of how many definitions the objects are counted. */
  | { event: "counting"; data: { phase: "counting"; counted: number; definitions: number } };

const MAX_BAR = 40;
const MIN_BAR = 10;

interface Drawing {
  width: number;
  /** In ms since the epoch. */
  now: number;
  paint: (text: string) => string;
  kubectl: string;
}

/** One line of progress, with a bar if the total is known; at most `width` characters. */
export function progressLine({ event, data }: ProgressEvent, drawing: Drawing): string {
  const { width, paint } = drawing;
  switch (event) {
    case "run":
      return runLine(data, drawing);
    case "dry-run": {
      const { planned, checked } = data.dryRun;
      const of = `${formatCount(checked)}/${formatCount(planned)} tried`;
      return withBar({ label: "dry run", done: checked, total: planned, rest: joined(of, data.message), width, paint });
    }
    case "counting": {
      const { counted, definitions } = data;
      const of = `objects of ${formatCount(counted)}/${formatCount(definitions)} definitions`;
      return withBar({ label: "counting", done: counted, total: definitions, rest: of, width, paint });
    }
    default:
      return event satisfies never;
  }
}

function runLine(run: Run, { now, width, paint, kubectl }: Drawing): string {
  const { phase, counts, ratePerSecond, etaSeconds, settlesAt } = run;
  const statusReason = run.statusReason === null ? null : withKubectl(run.statusReason, kubectl);
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
