/** What a line of the log, which is JSON, warns of; null where it tells of what went well. */
export function warningOf(line: string): string | null {
  const { level, message }: { level?: unknown; message?: unknown } = JSON.parse(line);
  return (level === "warn" || level === "error") && typeof message === "string" ? message : null;
}
