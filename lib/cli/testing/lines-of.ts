/** The lines that a process wrote beside its result; each has to be JSON. */
export function linesOf(stderr: string): { event?: string; data?: unknown; action?: string }[] {
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
