import type { Run } from "#lib/domain/rewrite/run.ts";
import { type RunVerdict, runVerdict } from "#lib/domain/rewrite/run-verdict.ts";
import { type SuccessEvidence, successSentence, successStanding } from "./success-standing.ts";

/**
 * The verdict on an ended run by what the definition shows now, null while it is live. `crd` is null if unknown; `newest` is the id of the
 * definition's newest run: this one, unless given.
 */
export function endedVerdict(run: Run, crd: SuccessEvidence | null, newest?: string | null): RunVerdict | null {
  const verdict = runVerdict(run, newest);
  return verdict?.kind === "succeeded" ? { ...verdict, sentence: successSentence(run, successStanding(run, crd)) } : verdict;
}
