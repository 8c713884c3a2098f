import { withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
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
    withdrawEvidence(identity.uid, disproof);
    // A run that began without a proof has none to remove. While leftover versions are listed, no one needs a doubt before its end.
    const isExpected = leftoverVersions(job.crd).length > 0 && (readableRecord(job.crd)?.proof ?? null) === null;
    if (of === "proof" && isExpected) return Promise.resolve();
    const withDoubt = (now: Crd, record: RewriteRecord): RewriteRecord => {
      const mine = withoutWithdrawn(held(now, record, job, identity));
      return mine.doubt ? mine : { ...mine, doubt: { rejected: 0 } };
    };
    const write = () => updateRecord(job.connection, job.crd.name, withDoubt, signal);
    const writing = begun.get(of) ?? throughGate(gate, signal, write).then(() => {});
    begun.set(of, writing);
    return writing;
  };
}
