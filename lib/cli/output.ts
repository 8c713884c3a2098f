import { errorBody } from "./error-body.ts";
import { escapedJson } from "./escaped-json.ts";
import { oneLine } from "./one-line.ts";
import type { ClusterInvocation } from "./parse-arguments.ts";
import { printable } from "./printable.ts";
import type { ProgressEvent } from "./progress-line.ts";
import { progressLine } from "./progress-line.ts";
import { warningOf } from "./warning-of.ts";

/** Where something is written: a standard stream. */
export interface Sink {
  isTTY?: boolean;
  columns?: number;
  write(text: string, done: () => void): boolean;
}

/**
 * Everything that is printed. On standard output: the result, once, and with json the error in its place. On standard error: a bar and
 * words on a terminal, else lines of JSON; and errors in words unless standard output has them.
 */
export interface Output {
  result(document: unknown, words: string): Promise<void>;
  progress(event: ProgressEvent): void;
  notice(message: string): void;
  /** A line of the log, which is JSON already; of it a terminal is shown only what it warns of. */
  log(line: string): void;
  error(error: unknown): Promise<void>;
}

const EACH_LINE_MS = 1_000;
const CLEAR_LINE = "\r\u001b[2K";
/** Where a terminal does not say, or says 0. */
const DEFAULT_WIDTH = 80;

export function createOutput(options: {
  format: ClusterInvocation["output"];
  stdout: Sink;
  stderr: Sink;
  /** Colours the done part of the bar, where colours are wanted. */
  paint: (text: string) => string;
}): Output {
  const { format, stdout, stderr, paint } = options;
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
      await write(stdout, format === "json" ? `${json(document)}\n` : `${printable(words)}\n`);
    },
    progress(event) {
      if (onTerminal) {
        const bar = progressLine(event, { width: (stderr.columns || DEFAULT_WIDTH) - 1, now: Date.now(), paint });
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
      if (onTerminal) void tell(`${oneLine(message)}\n`);
      else line({ event: "notice", data: { message } });
    },
    log(text) {
      const warning = onTerminal ? warningOf(text) : null;
      if (!onTerminal) void tell(`${escapedJson(text)}\n`);
      else if (warning !== null) void tell(`${oneLine(warning)}\n`);
    },
    async error(error) {
      const body = errorBody(error);
      if (format === "json") await write(stdout, `${json(body)}\n`);
      if (format === "json" && (!onTerminal || stdout.isTTY)) return;
      const { message, cause, nextStep } = body.error;
      const lines = [`Error: ${inFurtherLines(message)}`, cause && oneLine(`Cause: ${cause}`), nextStep && inFurtherLines(nextStep)];
      await tell(`${printable(lines.filter(Boolean).join("\n"))}\n`);
    },
  };
}

// crdshift's own messages have lines; what they quote must not begin one.
function inFurtherLines(text: string): string {
  return text.replaceAll(/\r?\n/g, "\n  ");
}
