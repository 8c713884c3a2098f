import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd, writeStoredVersions } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { restoredStoredVersions } from "#lib/domain/rewrite/refusals.ts";
import type { Delegation, Run } from "#lib/domain/rewrite/run.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";

const MAX_ATTEMPTS = 5;

/**
 * Puts back into status.storedVersions what a run's delegated engine took out and spec.versions still has, under the definition's
 * resourceVersion; again when somebody was faster, at most five times. `isDue` decides on the definition as it was just read.
 * @returns the delegation with what was put back noted on it; as it was when nothing was missing, when it is not due, or when the
 * definition is another one by now.
 */
export async function putBackStoredVersions(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  { run: { id, startedBy }, delegation }: { run: Pick<Run, "id" | "startedBy">; delegation: Delegation },
  { isDue, signal }: { isDue: (now: Crd) => boolean; signal: AbortSignal },
): Promise<Delegation> {
  for (let attempt = 1; ; attempt += 1) {
    const { crd } = await readCrd(connection, name, signal);
    const listable = delegation.storedVersionsBefore.filter((version) => crd.versions.some((known) => known.name === version));
    const missing = listable.filter((version) => !crd.storedVersions.includes(version));
    if (missing.length === 0 || crd.uid !== uid || !isDue(crd)) return delegation;
    try {
      fleetOf(connection).noteCrd(await writeStoredVersions(connection, crd, restoredStoredVersions(crd, missing), signal));
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict") || attempt >= MAX_ATTEMPTS) throw error;
      continue;
    }
    const message = `${missing.join(", ")} was put back into status.storedVersions: ${delegation.migration} had taken it out unproven.`;
    recordAction(connection, name, { kind: "restored", at: new Date().toISOString(), run: id, by: startedBy, message });
    return { ...delegation, putBack: [...new Set([...delegation.putBack, ...missing])] };
  }
}
