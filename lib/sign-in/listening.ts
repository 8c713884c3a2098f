import { processWide } from "#lib/process-wide.ts";

/** What is known of the server only once it listens. */
interface Listening {
  port: number | null;
  /** Where people open it. */
  url: string | null;
}

/** Where this process listens; told once by the server, read by everything that makes a cookie or a link. */
export function listening(): Listening {
  return processWide("listening", () => ({ port: null, url: null }));
}
