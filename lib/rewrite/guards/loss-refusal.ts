import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import { droppedFrom } from "#lib/rewrite/dry-run/try-object.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { ObjectRejection } from "#lib/rewrite/run/request-for-object.ts";

interface Guarded {
  connection: Connection;
  crd: Crd;
  /** The storage version. */
  version: string;
  gate: Gate;
  pacer: Pacer;
  runId?: string;
  onPatch?: (purpose: PatchPurpose) => void;
  signal: AbortSignal;
}

/**
 * Why an object must not be written yet: the write would drop or change a field that no dry run reported, or its losses are unknown.
 * Null if nothing would be lost. Like a dry run, it checks the object at every other served version.
 */
export async function lossRefusal(
  guarded: Guarded,
  object: ObjectName,
  throughStatus = false,
): Promise<ObjectRejection | { kind: "gone" } | null> {
  const { crd, version } = guarded;
  for (const name of otherServedVersions(crd, version)) {
    const found = await droppedFrom({ ...guarded, storageVersion: version }, object, name, throughStatus);
    if (found.kind !== "answered") return found;
    const [first, ...rest] = found.value;
    if (first) {
      const more = rest.length > 0 ? ` and ${rest.length} more` : "";
      const what = first.kind === "dropped" ? "would be dropped" : "would change";
      return {
        kind: "rejected",
        reason: "WouldLose",
        message: `${first.path}${more} ${what}, and that loss isn't accepted. The object was left unchanged.`,
      };
    }
  }
  return null;
}
