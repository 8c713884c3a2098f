import { contradictionOf } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { proofStanding } from "./proof-standing.ts";
import type { SuccessEvidence } from "./success-standing.ts";

/** What the definition and its record show of the success of its runs. */
export function successEvidence(crd: Crd, { proof, runs }: RewriteRecord): SuccessEvidence {
  return { proof: proof && { ...proof, ...proofStanding(crd, proof) }, contradiction: contradictionOf(crd), runs };
}
