import type { Crd } from "#lib/domain/definition/crd.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import { asOf, type Run, runsSince } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { Doubt, RewriteRecord } from "./rewrite-record.ts";

type Doubted = Pick<Crd, "record" | "rememberedDoubt"> & Identified;
/** The definition as it is now. */
type Identified = Pick<Crd, "uid" | "generation" | "versions">;
type Recorded = Pick<RewriteRecord, "doubt" | "runs" | "proof"> & Partial<Pick<RewriteRecord, "settlePoint">>;

/**
 * What the rewrites since the newest proof left in doubt at `now` (ms): those of `runs`, and earlier ones that are no longer among them. It
 * is to be kept with the definition; one that says nothing of it is not begun. Only whoever writes a proof ends it, not a run that is said
 * to have succeeded.
 */
export function doubtIn(record: Recorded, crd: Identified, now: number): Doubt | null {
  const found = { rejected: 0 };
  const isUnknown = !hadProof(record, crd) && unproven(record).some((run) => mayHaveWritten(run, now)) && saysSomething(found, crd);
  return worseDoubt(countedDoubt(record, crd), isUnknown ? found : null);
}

/**
 * Whether the last rewrite worked beside a proof of the spec as it is, or as it was then, by its settle point: what disproves such a proof is
 * recorded before it counts.
 */
function hadProof({ proof, settlePoint }: Recorded, crd: Identified): boolean {
  if (proof === null) return false;
  return identityChange(crd, proof) === null || (settlePoint?.uid === proof.uid && settlePoint.generation === proof.generation);
}

/** What they are known to have left in doubt, which is all where a proof of the definition as it is now is recorded. */
function countedDoubt(record: Pick<Recorded, "doubt" | "runs">, crd: Pick<Crd, "versions">): Doubt | null {
  const since = unproven(record).filter(({ counts }) => counts.rejected + counts.rewritten > 0);
  const begun = { rejected: Math.max(0, ...since.map(({ counts }) => counts.rejected)) };
  if (since.length === 0 || !saysSomething(begun, crd)) return record.doubt;
  return worseDoubt(begun, record.doubt);
}

function unproven({ runs }: Pick<Recorded, "runs">): readonly Run[] {
  return runsSince(runs, ({ phase }) => phase === "succeeded");
}

/** Whether the run may have rewritten objects that its record doesn't count: it was killed, or resumed after that. */
function mayHaveWritten(run: Run, now: number): boolean {
  const wasKilled = run.endedAt === null && asOf(run, now).phase === "interrupted";
  return run.rewrittenAtLeast || (run.settledAt !== null && wasKilled);
}

/** Both doubts as one; null when there is neither. */
function worseDoubt(one: Doubt | null, other: Doubt | null): Doubt | null {
  return one && other ? { rejected: Math.max(one.rejected, other.rejected) } : (one ?? other);
}

/** The record with a doubt for an object that was just found changed or rejected; the same object if that adds nothing. */
export function withDoubt(record: RewriteRecord, crd: Pick<Crd, "versions">): RewriteRecord {
  const found = { rejected: 0 };
  return record.doubt || !saysSomething(found, crd) ? record : { ...record, doubt: found };
}

/**
 * The doubt to keep with a definition, by its record and what this process remembers; null when there is none. Whoever shows, writes, or
 * remembers a doubt takes it from here, so that none forgets one of the two.
 */
export function keptDoubt(crd: Doubted, now: number): Doubt | null {
  const told = crd.record === null || crd.record === "unreadable" ? null : doubtIn(crd.record, crd, now);
  return worseDoubt(told, crd.rememberedDoubt);
}

/** What is known to disprove a proof that is recorded, as doubtOf. */
export function doubtBesideProof(crd: Doubted): Doubt | null {
  const told = crd.record === null || crd.record === "unreadable" ? null : countedDoubt(crd.record, crd);
  return ifItSaysSomething(worseDoubt(told, crd.rememberedDoubt), crd);
}

/** The kept doubt, if it says something about the definition's objects as its spec is now; null otherwise. */
export function doubtOf(crd: Doubted, now: number): Doubt | null {
  return ifItSaysSomething(keptDoubt(crd, now), crd);
}

function ifItSaysSomething(doubt: Doubt | null, crd: Pick<Crd, "versions">): Doubt | null {
  return doubt && saysSomething(doubt, crd) ? doubt : null;
}

/** Says that objects of a definition in doubt may be stored as told, and how to end the doubt; null without a doubt. */
export function doubtRefusal(crd: Doubted, stored: string, now: number): { message: string; nextStep: string } | null {
  const doubt = doubtOf(crd, now);
  if (!doubt) return null;
  return doubt.rejected > 0
    ? {
        message: `A rewrite could not verify ${formatCountOf(doubt.rejected, "object")}, which may be stored ${stored}.`,
        nextStep: "See what was rejected, fix the cause, then rewrite again.",
      }
    : {
        message: `A rewrite changed objects, or may have, and ended before it had verified all of them, so some may be stored ${stored}.`,
        nextStep: "Rewrite again.",
      };
}

// A spec with one version leaves no other that a changed object could have been stored in.
function saysSomething({ rejected }: Doubt, { versions }: Pick<Crd, "versions">): boolean {
  return rejected > 0 || versions.length > 1;
}
