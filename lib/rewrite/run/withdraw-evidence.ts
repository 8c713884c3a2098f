import { withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { withDoubt } from "#lib/domain/rewrite/doubt.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { held } from "#lib/rewrite/record/hold-run.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { withoutWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import type { Disproof } from "./pass.ts";

/**
 * Removes what objects disprove from the record and leaves a doubt in it, once for each kind, and resolves when that is written. It is
 * withdrawn from then on: whatever ends the run before the write, its end is written without it.
 */
export function withdrawingEvidence(progress: Progress): (disproof: Disproof) => Promise<void> {
  const { job, identity, gate, signal, state } = progress;
  const begun = new Map<Disproof["of"], Promise<void>>();
  return (disproof) => {
    const { of } = disproof;
    if (of === "settle-point") state.disprovedAt = performance.now();
    withdrawEvidence(job.connection, identity.uid, disproof);
    if (of === "proof" && isExpected(progress)) return Promise.resolve();
    const withdraw = (now: Crd, record: RewriteRecord) =>
      withDoubt(withoutWithdrawn(job.connection, held(now, record, job, identity)), now);
    const write = () => updateRecord(job.connection, job.crd.name, withdraw, signal);
    const writing = begun.get(of) ?? throughGate(gate, signal, write).then(() => {});
    begun.set(of, writing);
    return writing;
  };
}

/**
 * Whether nobody takes such an object for proven, so that no one needs a doubt before the run's end: leftover versions are listed, and no
 * proof is recorded. The list may become shorter while the run works. The cluster's own engine does that for a delegated run when it ends,
 * which the watch may tell only later.
 */
function isExpected({ job, state }: Progress): boolean {
  if (state.run.delegation) return false;
  const now = fleetOf(job.connection).crd(job.crd.name) ?? job.crd;
  return leftoverVersions(now).length > 0 && (readableRecord(now)?.proof ?? null) === null;
}
