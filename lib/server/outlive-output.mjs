/**
 * Keeps this process at work where nobody reads its output any more: a closed terminal or pipe, a full disk. Without it, each line that
 * can't be written is an uncaught exception, and logging that is another.
 */
export function outliveOutput() {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
