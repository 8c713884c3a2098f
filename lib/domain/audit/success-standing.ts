import { type Contradiction, contradictionReason } from "#lib/domain/definition/contradiction.ts";
import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { provenAtEnd, provenNow } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { claimedSuccess, type ProofStanding } from "./proof-standing.ts";

/** What a definition shows of the success of its runs. */
export interface SuccessEvidence {
  proof: (Proof & ProofStanding) | null;
  contradiction: Contradiction | null;
  /** The runs on record, newest first. */
  runs: readonly Pick<Run, "id" | "phase">[];
}

/** What a run's success is worth now. Its own word is worth nothing: whoever may patch the definition may have written it. */
export type SuccessStanding =
  /** Its proof is on record, and nothing speaks against it. */
  | { state: "proven"; proof: Proof }
  /** A later change, rewrite or etcd count voids its proof. `because` has no period. */
  | { state: "void"; proof: Proof; because: string }
  /** This installation did not sign its proof. */
  | { state: "claimed"; because: string }
  /** The proof of a later run is in the place of its own. */
  | { state: "replaced"; by: string }
  /** Neither its proof nor a later run's is on record. */
  | { state: "missing" }
  /** The definition isn't known, or doesn't have the run's end on record: it may be older, or the run may be forgotten. */
  | { state: "unknown" };

/** What the success of a run is worth, by which pages, reports, and the terminal tell of it. Applies to a run with a proof in any phase. */
export function successStanding({ id, endedAt, renewedAt }: Run, evidence: SuccessEvidence | null): SuccessStanding {
  if (!evidence) return { state: "unknown" };
  const { proof, contradiction, runs } = evidence;
  if (proof?.runId === id) {
    if (proof.standing === "claimed") return { state: "claimed", because: claimedSuccess(proof) };
    const because = proof.invalidBecause ?? (contradiction && disproof(contradiction));
    return because === null ? { state: "proven", proof } : { state: "void", proof, because };
  }
  if (runs.find((run) => run.id === id)?.phase !== "succeeded") return { state: "unknown" };
  const isReplaced = proof && proof.standing !== "claimed" && isOfLaterRun(proof, runs, { id, endedAt: endedAt ?? renewedAt });
  return isReplaced ? { state: "replaced", by: proof.runId } : { state: "missing" };
}

/** What is stored, or was, by a run that reports success. */
export function successSentence(run: Run, standing: SuccessStanding): string {
  switch (standing.state) {
    case "proven":
      return provenNow({ provenObjects: standing.proof.objects, storageVersion: standing.proof.storageVersion });
    case "void": {
      const { objects, storageVersion } = standing.proof;
      const proven = `${formatCountOf(objects, "object")} ${objects === 1 ? "was" : "were"} proven to be stored as ${storageVersion}`;
      return `${proven}. The proof no longer holds: ${standing.because}.`;
    }
    case "claimed":
      return standing.because;
    case "replaced":
      return `${provenAtEnd(run)} A later rewrite's proof has replaced its proof.`;
    case "missing":
      return NO_PROOF;
    case "unknown":
      return provenAtEnd(run);
    default:
      return standing satisfies never;
  }
}

/** What to say of a run that reports success without a proof. */
export const NO_PROOF = "The rewrite reports success, but neither its proof nor a later rewrite's is on record.";

// If the proving run is no longer listed, compare times.
function isOfLaterRun(proof: Proof, runs: SuccessEvidence["runs"], run: { id: string; endedAt: string }): boolean {
  const prover = runs.findIndex(({ id }) => id === proof.runId);
  if (prover === -1) return Date.parse(proof.provenAt) >= Date.parse(run.endedAt);
  return prover < runs.findIndex(({ id }) => id === run.id);
}

function disproof(contradiction: Contradiction): string {
  return `a count at ${contradiction.asOf} shows that ${contradictionReason(contradiction)}`;
}
