import { run } from "./run.mjs";

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
