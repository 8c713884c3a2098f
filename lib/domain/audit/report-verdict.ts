import { contradictionOf, contradictionReason } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Proof, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { claimedSuccess, proofStanding } from "./proof-standing.ts";

export type ReportVerdict =
  /** `invalidBecause`: the later change or etcd count that voids the proof; null while it is valid. */
  | { state: "proven"; proof: Proof; invalidBecause: string | null }
  /** The run succeeded, but a later run's proof replaced its proof. */
  | { state: "replaced"; because: string }
  /** The run reports success, but this installation did not sign the proof on record. */
  | { state: "claimed"; because: string }
  | { state: "not-proven"; because: string }
  | { state: "at-work"; because: string };

/** The verdict on a recorded run. Only a signed proof that names the run makes it proven, whatever its phase. */
export function verdictOf(crd: Crd, { proof, runs }: RewriteRecord, run: Run): ReportVerdict {
  const { phase } = run;
  if (proof?.runId === run.id) {
    const { standing, invalidBecause } = proofStanding(crd, proof);
    if (standing === "claimed") return { state: "claimed", because: claimedSuccess({ invalidBecause }) };
    return { state: "proven", proof, invalidBecause: invalidBecause ?? disproof(crd) };
  }
  if (!isEnd(phase) || isLive(run)) return { state: "at-work", because: `The rewrite is ${phase}; nothing is proven yet.` };
  if (phase !== "succeeded") return { state: "not-proven", because: endSentence({ ...run, phase }) };
  if (proof && isOfLaterRun(proof, runs, run) && !crd.claims.proof) {
    const because = `The rewrite succeeded. The proof of a later rewrite, ${proof.runId}, has replaced its proof.`;
    return { state: "replaced", because };
  }
  return { state: "not-proven", because: "The rewrite reports success, but neither its proof nor a later rewrite's is on record." };
}

// Runs are listed newest first. If the proving run is no longer listed, compare times.
function isOfLaterRun(proof: Proof, runs: readonly Run[], run: Run): boolean {
  const prover = runs.findIndex(({ id }) => id === proof.runId);
  if (prover === -1) return Date.parse(proof.provenAt) >= Date.parse(run.endedAt ?? run.renewedAt);
  return prover < runs.findIndex(({ id }) => id === run.id);
}

// Applies only to an otherwise valid proof, because etcd is counted against the current definition.
function disproof(crd: Crd): string | null {
  const contradiction = contradictionOf(crd);
  return contradiction && `a count at ${contradiction.asOf} shows that ${contradictionReason(contradiction)}`;
}
