import { processWide } from "#lib/process-wide.ts";

/** How many event streams of this process are being read. */
export function eventStreamClients(): { open: number } {
  return processWide("event-stream-clients", () => ({ open: 0 }));
}
