import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";

const LOOK_EVERY_MS = 250;

/**
 * Yields a run of this process repeatedly until it ends or leaves this process. In the second case the last one still looks live:
 * another crdshift took it over, or its end could not be written.
 */
export async function* followRun(connection: Connection, crdName: string, runId: string, signal: AbortSignal): AsyncGenerator<Run> {
  for (;;) {
    // Checked before reading: once the run has left this process, the next read shows how it ended.
    const isHere = controlOf(runId) !== null;
    const run = await readRun(connection, crdName, runId, signal);
    yield run;
    if (!isLive(run) || !isHere) return;
    await sleep(LOOK_EVERY_MS, signal);
  }
}
