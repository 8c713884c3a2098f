/** Logs a problem as one line of JSON on standard error. It must not contain secrets. */
export function logProblem(level: "warn" | "error", told: Readonly<Record<string, string | null | undefined>>): void {
  console.error(JSON.stringify({ level, at: new Date().toISOString(), ...told }));
}

/** The text of an unexpected error for the log, with its stack if it has one. */
export function errorDetail(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
