import { readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure, type Failure } from "./classify-failure.ts";
import { isNamesake, type Listed } from "./is-namesake.ts";
import type { Sending } from "./send-aside.ts";

/**
 * The failure, after a look at the object where the answer was a 404: admission, too, answers so, and may name a Secret or the object's
 * namespace. Only a read says that the object is gone, or its version no longer served.
 */
export async function meaningOf(context: Sending, object: Listed, error: unknown): Promise<Failure | { kind: "held" }> {
  if (error instanceof GateHeld) return { kind: "held" };
  const failure = classifyFailure(error, object);
  const answer = clusterAnswer(error);
  if (answer?.status !== 404 || failure.kind === "rejected") return failure;
  const { connection, crd, gate, signal, runId } = context;
  try {
    await gate.whenReleased(signal);
    const now = await readObjectMetadata(connection, crd, storageVersion(crd)?.name ?? "", object, { signal, ...(runId && { runId }) });
    if (isNamesake(now, object)) return { kind: "gone" };
    return { kind: "rejected", reason: answer.reason || "NotFound", message: answer.message };
  } catch (readError) {
    signal.throwIfAborted();
    return readError instanceof GateHeld ? { kind: "held" } : classifyFailure(readError, object);
  }
}
