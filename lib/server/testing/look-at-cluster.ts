import { sleep } from "#lib/async/sleep.ts";
import { type CrdList, type CrdSummary, crdListSchema } from "#lib/contract/definition/crd.ts";
import type { EventData, ServerEvent } from "#lib/contract/events.ts";
import { askDashboard } from "./ask-dashboard.ts";
import { readEvents } from "./read-events.ts";

const POLL_MS = 250;

/** A client that watches a cluster over HTTP, by polling its definitions and by reading its events. */
export interface Onlooker {
  /** The latest answer to GET crds. */
  list(): CrdList;
  /** The first list with every later event applied. */
  folded(): CrdSummary[];
  /** The statuses received, in order. */
  statuses: readonly EventData<"status">[];
  /** Unexpected answers, and an end of the events; should be empty. */
  problems: readonly string[];
}

/**
 * Watches `/api/clusters/{cluster}` of a dashboard until the signal aborts; resolves after the first list. `onList` gets every list
 * and the time of its request (from performance.now()).
 */
export async function lookAtCluster(
  cluster: string,
  options: { signal: AbortSignal; onList: (list: CrdList, askedAt: number) => void },
): Promise<Onlooker> {
  const { signal, onList } = options;
  const folded = new Map<string, CrdSummary>();
  const statuses: EventData<"status">[] = [];
  const problems: string[] = [];
  const report = (what: string) => (error: unknown) => void (signal.aborted || problems.push(`${what}: ${String(error)}`));

  const read = async () => {
    const askedAt = performance.now();
    const response = await askDashboard(`${cluster}/crds`, { signal });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const read = crdListSchema.parse(await response.json());
    onList(read, askedAt);
    return read;
  };
  const fold = (event: ServerEvent) => {
    if (event.event === "status") statuses.push(event.data);
    if (event.event !== "crd") return;
    if (event.data.type === "deleted") folded.delete(event.data.item.name);
    else folded.set(event.data.item.name, event.data.item);
  };

  const events = readEvents(`${cluster}/events`, signal);
  await events.next();
  let list = await read();
  for (const item of list.items) folded.set(item.name, item);
  const listen = async () => {
    for await (const event of events) fold(event);
    throw new Error("they ended");
  };
  const poll = async () => {
    for (;;) {
      await sleep(POLL_MS, signal);
      await read().then((next) => {
        list = next;
      }, report("GET crds"));
    }
  };
  listen().catch(report("events"));
  poll().catch(report("polling"));
  return { list: () => list, folded: () => [...folded.values()], statuses, problems };
}
