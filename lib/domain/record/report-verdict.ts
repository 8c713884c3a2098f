import { contradictionOf, contradictionReason } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { identityChange, isLive, type Proof, type RewriteRecord, type Run } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";

export type ReportVerdict =
  /** `invalidBecause`: what has changed since, or what etcd holds against it, so that the proof does not hold; null while it does. */
  | { state: "proven"; proof: Proof; invalidBecause: string | null }
  /** It said so; a later run's proof has taken the place of its own. */
  | { state: "replaced"; because: string }
  | { state: "not-proven"; because: string }
  | { state: "at-work"; because: string };

/** What a run of the record comes to: proven only by a proof on record that names it, whatever the run says of itself. */
export function verdictOf(crd: Crd, { proof, runs }: RewriteRecord, run: Run): ReportVerdict {
  const { phase } = run;
  if (proof?.runId === run.id) return { state: "proven", proof, invalidBecause: identityChange(crd, proof) ?? disproof(crd) };
  if (!isEnd(phase) || isLive(run)) return { state: "at-work", because: `The run is ${phase}; nothing is proven yet.` };
  if (phase !== "succeeded") return { state: "not-proven", because: endSentence({ ...run, phase }) };
  if (proof && isOfLaterRun(proof, runs, run)) {
    const because = `The run ended as succeeded. The proof of a later one, ${proof.runId}, has taken the place of its own.`;
    return { state: "replaced", because };
  }
  return { state: "not-proven", because: "The run says that it succeeded, but no proof of it or of a later run is on record." };
}

// Runs are remembered newest first. Of one that is not remembered any more only the clock tells.
function isOfLaterRun(proof: Proof, runs: readonly Run[], run: Run): boolean {
  const prover = runs.findIndex(({ id }) => id === proof.runId);
  if (prover === -1) return Date.parse(proof.provenAt) >= Date.parse(run.endedAt ?? run.renewedAt);
  return prover < runs.findIndex(({ id }) => id === run.id);
}

// Only of a proof that holds otherwise: etcd is counted against the definition as it is.
function disproof(crd: Crd): string | null {
  const contradiction = contradictionOf(crd);
  return contradiction && `by a count at ${contradiction.asOf}, ${contradictionReason(contradiction)}`;
}
