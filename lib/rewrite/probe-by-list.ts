import type { Connection } from "#lib/cluster/connection.ts";
import { clusterAnswer, isConversionFailure } from "#lib/cluster/errors.ts";
import { listObjects } from "#lib/cluster/object-pages.ts";
import { type Crd, storageVersion } from "#lib/domain/crd.ts";
import { classifyFailure } from "./classify-failure.ts";
import type { Gate } from "./gate.ts";

export interface Listing {
  connection: Connection;
  crd: Crd;
  gate: Gate;
  signal: AbortSignal;
  runId?: string;
}

/** Tries by a list of one object whether the API server has time again; tells the gate. Throws the signal's reason. */
export async function probeByList({ connection, crd, gate, signal, runId }: Listing): Promise<void> {
  try {
    await listObjects(connection, crd, { version: storageVersion(crd)?.name ?? "", limit: 1, signal, ...(runId && { runId }) });
    gate.open();
  } catch (error) {
    signal.throwIfAborted();
    const failure = classifyFailure(error, null);
    const answer = clusterAnswer(error);
    // Any other answer is one: what it means for the objects, their own requests find out.
    if (failure.kind === "wait" && !(answer && isConversionFailure(answer))) gate.close(failure.message, failure.afterMs);
    else gate.open();
  }
}
