/** Tells the log of something that went wrong: one line of JSON, on standard error. What is told must hold no secret. */
export function logProblem(level: "warn" | "error", told: Readonly<Record<string, string | null | undefined>>): void {
  console.error(JSON.stringify({ level, at: new Date().toISOString(), ...told }));
}

/** An error that nobody expected, for that line: where it is from, if it says so. */
export function errorDetail(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
