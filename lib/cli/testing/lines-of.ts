/** The lines on a process' standard error; each must be JSON. */
export function linesOf(stderr: string): { event?: string; data?: unknown; action?: string }[] {
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
