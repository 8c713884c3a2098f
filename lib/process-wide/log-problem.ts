/** Logs a problem as one line of JSON on standard error. It must not contain secrets. */
export function logProblem(level: "warn" | "error", told: Readonly<Record<string, string | null | undefined>>): void {
  console.error(logLine({ level, at: new Date().toISOString(), ...told }));
}

/** A line of JSON for the log. A terminal that shows it obeys none of its characters, and none turns its direction. */
export function logLine(told: object): string {
  // JSON.stringify escapes only those below a space.
  return JSON.stringify(told).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The text of an unexpected error for the log, with its stack if it has one. */
export function errorDetail(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
