import type { Run } from "#lib/contract/run.ts";
import { readEvents } from "#lib/server/testing/read-events.ts";

/** The dashboard's event stream, open as in a browser that shows a run. */
export interface RunEvents {
  /** The run once it has ended. */
  endOf(id: string): Promise<Run>;
  close(): void;
}

const GIVE_UP_MS = 30 * 60_000;

/** Opens the event stream of a cluster; returns once it is ready. */
export async function openRunEvents(url: string): Promise<RunEvents> {
  const closing = new AbortController();
  const events = readEvents(url, AbortSignal.any([closing.signal, AbortSignal.timeout(GIVE_UP_MS)]));
  await events.next();
  return {
    async endOf(id) {
      for await (const { event, data } of events) if (event === "run" && data.id === id && data.endedAt !== null) return data;
      throw new Error(`${url} ended before the run ${id} did.`);
    },
    close: () => closing.abort(),
  };
}
