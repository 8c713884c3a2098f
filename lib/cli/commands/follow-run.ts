import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";

const LOOK_EVERY_MS = 250;

/**
 * A run of this process again and again until it has ended, or is no longer at work here: then it shows as live still, because another
 * crdshift took it over or its end could not be written.
 */
export async function* followRun(connection: Connection, crdName: string, runId: string, signal: AbortSignal): AsyncGenerator<Run> {
  for (;;) {
    // Asked first: once it is gone from here, what is read next is how it ended.
    const isHere = controlOf(runId) !== null;
    const run = await readRun(connection, crdName, runId, signal);
    yield run;
    if (!isLive(run) || !isHere) return;
    await sleep(LOOK_EVERY_MS, signal);
  }
}
