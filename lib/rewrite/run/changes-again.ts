import { sleep } from "#lib/async/sleep.ts";
import { mutatingAdmission, readMutating } from "#lib/cluster/admission/mutating-admission.ts";
import { dryRunRewrite, readObject } from "#lib/cluster/objects/custom-objects.ts";
import { type ExactJson, exactText, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { resourceVersionOf } from "#lib/domain/objects/resource-version.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import type { Progress } from "./progress/progress.ts";

/** A stamp may be a time in whole seconds. */
const ANOTHER_SECOND_MS = 1_100;
/** Enough for a busy object. */
const MAX_ATTEMPTS = 10;

/**
 * Whether admission changes an object with every update: a dry run of one more no-op patch would change what the last one has just stored.
 * False if that can't be told. Throws the signal's reason.
 */
export async function changesAgain({ heldRun, identity, gate, signal, onPatch }: Progress, object: ObjectName): Promise<boolean> {
  const { connection, crd, run } = heldRun;
  const { storageVersion } = identity;
  const options = { signal, runId: run.id, onPatch };
  await sleep(ANOTHER_SECOND_MS, signal);
  try {
    return await throughGate(gate, signal, async () => {
      if ((await mutatingAdmission(readMutating({ connection, crd, version: storageVersion, signal }), signal)) === "") return false;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const now = await readObject(connection, crd, storageVersion, object, options);
        const tried = await dryRunRewrite(connection, crd, storageVersion, object, options);
        // Otherwise another client has changed it in between.
        if (resourceVersionOf(now) === resourceVersionOf(tried)) return content(now) !== content(tried);
      }
      return false;
    });
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

// The API server sends the fields of maps in one order. What a no-op patch leaves in managedFields is crdshift's own.
function content(object: ExactJson): string {
  if (!isExactObject(object)) return exactText(object);
  const { metadata = null, ...rest } = object;
  if (!isExactObject(metadata)) return exactText(object);
  const { managedFields: _, resourceVersion: __, ...kept } = metadata;
  return exactText({ ...rest, metadata: kept });
}
