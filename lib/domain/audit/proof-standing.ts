import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import { proofFault } from "#lib/domain/record/valid-evidence.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What a recorded proof is worth: `claimed` when this installation did not sign it, so that anyone may have written it. */
export const proofStandings = ["valid", "claimed", "void"] as const;

export interface ProofStanding {
  standing: (typeof proofStandings)[number];
  /** What voids the proof, or shows a claim to be wrong, without its period; null while nothing does. */
  invalidBecause: string | null;
}

/** The standing of a definition's recorded proof, by which pages, reports, and the terminal tell of it. */
export function proofStanding(crd: Crd, proof: Proof): ProofStanding {
  const invalidBecause = proofFault(crd, proof);
  if (crd.claims.proof) return { standing: "claimed", invalidBecause };
  return { standing: invalidBecause === null ? "valid" : "void", invalidBecause };
}

/** What to say of a claimed proof, as the end of a sentence without its period. */
export function claimWords({ invalidBecause }: Pick<ProofStanding, "invalidBecause">): string {
  const unsigned = "claimed, not signed by this installation";
  if (invalidBecause !== null) return `${unsigned}, and it doesn't hold: ${invalidBecause}`;
  return `${unsigned}: a rewrite verifies it, and so does a prune of up to ${formatCountOf(MOST_VERIFIED, "object")}`;
}

/** A sentence about the objects of a proof: proven, claimed, or proven no longer. */
export function proofSentence(proof: Pick<Proof, "objects" | "storageVersion"> & ProofStanding): string {
  const [objects, stored] = [formatCountOf(proof.objects, "object"), `to be stored as ${proof.storageVersion}`];
  switch (proof.standing) {
    case "valid":
      return `${objects} proven ${stored}.`;
    case "claimed":
      return `The proof of ${objects} ${stored} is ${claimWords(proof)}.`;
    case "void":
      return `The proof no longer holds: ${proof.invalidBecause}.`;
    default:
      return proof.standing satisfies never;
  }
}

/** How a run reports success that rests on a claim. */
export function claimedSuccess(standing: Pick<ProofStanding, "invalidBecause">): string {
  return `The rewrite reports success, but its proof is ${claimWords(standing)}.`;
}

/** How many objects a prune verifies of a claimed proof: fewer than fit in the time that it has (bounded-verification.long.test.ts). */
export const MOST_VERIFIED = 1_000;
