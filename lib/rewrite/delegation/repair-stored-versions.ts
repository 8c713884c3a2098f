import type { Connection } from "#lib/cluster/connection/connection.ts";
import { writeStoredVersions } from "#lib/cluster/definitions/crds.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { isAppError, isUnconfirmed } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { validProof } from "#lib/domain/record/valid-evidence.ts";
import { relistedStoredVersions } from "#lib/domain/rewrite/refusals.ts";
import type { Delegation, Run } from "#lib/domain/rewrite/run.ts";
import { readToWrite } from "#lib/rewrite/guards/older-state.ts";
import { recordAction, recordUnconfirmed, type Told } from "#lib/rewrite/record/record-action.ts";
import { writtenUnanswered } from "#lib/rewrite/record/unanswered-write.ts";

const MAX_ATTEMPTS = 5;

/**
 * Puts back into status.storedVersions the versions that a run's delegated engine removed and spec.versions still has. Writes with the
 * definition's resourceVersion, at most five times on conflicts; if the answer is missing, a look at the definition decides. `isDue` gets
 * the definition as just read.
 * @returns the delegation with the versions added that were put back; unchanged if none is missing, a proof of this installation holds, the
 * repair is not due, or the uid has changed.
 */
export async function repairStoredVersions(
  connection: Connection,
  { name, uid }: Pick<Crd, "name" | "uid">,
  { run: { id, startedBy }, delegation }: { run: Pick<Run, "id" | "startedBy">; delegation: Delegation },
  { isDue, signal }: { isDue: (now: Crd) => boolean; signal: AbortSignal },
): Promise<Delegation> {
  for (let attempt = 1; ; attempt += 1) {
    const crd = await readToWrite(connection, name, signal);
    const listable = delegation.storedVersionsBefore.filter((version) => crd.versions.some((known) => known.name === version));
    const missing = listable.filter((version) => !crd.storedVersions.includes(version));
    // Whoever removed them, a proof says that no object needs them: a person may have pruned while the run was interrupted.
    const isProven = validProof(withOwnEvidence(connection, crd)) !== null;
    if (missing.length === 0 || isProven || crd.uid !== uid || !isDue(crd)) return delegation;
    const message = `Repaired status.storedVersions: added ${missing.join(", ")}, removed without proof.`;
    const action: Told = { kind: "repaired", at: new Date().toISOString(), run: id, by: startedBy, versions: missing, message };
    const isRepaired = (now: Crd) => missing.every((version) => now.storedVersions.includes(version));
    try {
      const note = fleetOf(connection).beginRead();
      note(await writeStoredVersions(connection, crd, relistedStoredVersions(crd, missing), signal));
    } catch (error) {
      if (isAppError(error) && error.code === "conflict" && attempt < MAX_ATTEMPTS) continue;
      await writtenUnanswered(connection, crd, error, isRepaired).catch((unseen: unknown) => {
        if (isUnconfirmed(unseen)) recordUnconfirmed(connection, crd, action);
        // By the write's own error, the caller decides whether to try again.
        throw error;
      });
    }
    recordAction(connection, name, action, uid);
    return { ...delegation, putBack: [...new Set([...delegation.putBack, ...missing])] };
  }
}
