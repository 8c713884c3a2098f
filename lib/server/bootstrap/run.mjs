import { spawn } from "node:child_process";
import { watchNpm } from "./watch-npm.mjs";

const forwarded = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]);
const repeatedAfterMs = 500;
const quiet = /** @type {const} */ (["ignore", "pipe", "pipe"]);
const shown = /** @type {const} */ (["inherit", "inherit", "inherit"]);
const ipc = /** @type {const} */ (["ipc"]);

/**
 * Runs a command and returns its exit code, 128 + n if signal n ended it. Signals to this process go to the command and its children;
 * another signal after half a second kills them. `quietly` collects the output instead of showing it. `tied` gives a Node.js command
 * an IPC channel: however this process ends, it closes, and the command can end, too.
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, quietly?: boolean, tied?: boolean, signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(file, args, options = {}) {
  const child = spawn(file, args, {
    env: { ...process.env, ...options.env },
    // A separate process group: Ctrl-C reaches it only from here, not a second time from the terminal.
    detached: true,
    stdio: [...(options.quietly ? quiet : shown), ...(options.tied ? ipc : [])],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }

  /** @type {number | undefined} */
  let interruptedAt;
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    const isRepeated = interruptedAt !== undefined && performance.now() - interruptedAt > repeatedAfterMs;
    // npm forwards signals that the terminal also sends, so the same signal arrives twice at once.
    if (interruptedAt !== undefined && !isRepeated) return;
    interruptedAt ??= performance.now();
    killGroup(child.pid, isRepeated ? "SIGKILL" : signal);
  };
  for (const signal of forwarded) process.on(signal, forward);
  const end = () => killGroup(child.pid, "SIGTERM");
  options.signal?.addEventListener("abort", end, { once: true });
  const watch = watchNpm(() => forward("SIGTERM"));

  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearInterval(watch);
      options.signal?.removeEventListener("abort", end);
      for (const name of forwarded) process.off(name, forward);
      resolve({ code: code ?? 128 + signalNumber(signal), output });
    });
  });
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function killGroup(pid, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has already ended.
  }
}

/** @param {NodeJS.Signals | null} signal */
function signalNumber(signal) {
  return { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[String(signal)] ?? 0;
}

const firstLineMs = 2_000;
const nextLineMs = 5_000;

/**
 * Runs a command whose output matters only if it fails. After two seconds, shows the progress and elapsed time: in one line on a
 * terminal, otherwise in a new line every five seconds.
 * @param {string} doing such as "Building the pages"
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, whatToDo?: string }} [options]
 */
export async function runStep(doing, file, args, options = {}) {
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const inPlace = process.stdout.isTTY;
  let shown = false;
  const show = () => {
    shown = true;
    process.stdout.write(inPlace ? `\r${doing} … ${elapsed()}` : `${doing} … ${elapsed()}\n`);
  };
  let interval = setTimeout(() => {
    show();
    interval = setInterval(show, inPlace ? 1_000 : nextLineMs);
  }, firstLineMs);
  try {
    const { code, output } = await run(file, args, { quietly: true, ...options });
    if (shown) process.stdout.write(`${inPlace ? "\r" : ""}${doing}: ${code === 0 ? "done in" : "failed after"} ${elapsed()}\n`);
    if (code !== 0) {
      throw new Error(`${output.trim()}\n\n${doing} failed (exit code ${code}). ${options.whatToDo ?? "The output above says why."}`);
    }
  } finally {
    clearTimeout(interval);
  }
}
