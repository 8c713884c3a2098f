import { dryRunRewrite, readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { whyUnaddressable } from "#lib/cluster/objects/why-unaddressable.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { Failing } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "./classify-failure.ts";
import { type Sending, sendAside } from "./send-aside.ts";

/** Whether trying it with an object worked, and when it was sent. `untold` if it says nothing about other objects. */
export type TrialOutcome = { kind: "worked"; at: number } | { kind: "failed" } | { kind: "untold" };

/**
 * Tries whether a write of an object works, by a dry run, or its conversion, by reads. An object that is gone, rejected, or unreadable says
 * nothing about others.
 * @throws GateHeld while the gate is held, errors without an answer, and the signal's reason.
 */
export async function worksFor(context: Sending, kind: Exclude<Failing, "storing">, object: ObjectName): Promise<TrialOutcome> {
  const { connection, crd, signal, runId, onPatch } = context;
  if (whyUnaddressable(crd, object)) return { kind: "untold" };
  const storage = storageVersion(crd)?.name ?? "";
  const others = otherServedVersions(crd, storage);
  const options = { signal, ...(runId && { runId }), ...(onPatch && { onPatch }) };
  const requests =
    kind === "write"
      ? [() => dryRunRewrite(connection, crd, storage, object, options)]
      : [storage, ...others].map((version) => () => readObjectMetadata(connection, crd, version, object, options));
  let at: number | null = null;
  try {
    for (const request of requests) {
      await sendAside(context, object, () => {
        at ??= performance.now();
        return request();
      });
    }
  } catch (error) {
    const meaning = classifyFailure(error, object).kind;
    if (meaning === "gone" || meaning === "rejected") return { kind: "untold" };
    if (clusterAnswer(error) === null) throw error;
    return { kind: "failed" };
  }
  // A read without a resourceVersion comes from etcd. A current object is converted only when it is read at another version, so where none
  // is served, a failure tells something, and a success nothing.
  const canShow = kind === "write" || others.length > 0;
  return at !== null && canShow ? { kind: "worked", at } : { kind: "untold" };
}
