import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Proof, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { successEvidence } from "./success-evidence.ts";
import { NO_PROOF, successStanding } from "./success-standing.ts";

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
export function verdictOf(crd: Crd, record: RewriteRecord, run: Run): ReportVerdict {
  const { phase } = run;
  const standing = successStanding(run, successEvidence(crd, record));
  // As recorded, without what only a page shows beside it.
  const { proof } = record;
  if (proof && standing.state === "proven") return { state: "proven", proof, invalidBecause: null };
  if (proof && standing.state === "void") return { state: "proven", proof, invalidBecause: standing.because };
  if (standing.state === "claimed") return { state: "claimed", because: standing.because };
  if (!isEnd(phase) || isLive(run)) return { state: "at-work", because: `The rewrite is ${phase}; nothing is proven yet.` };
  if (phase !== "succeeded") return { state: "not-proven", because: endSentence({ ...run, phase }) };
  if (standing.state === "replaced") {
    const because = `The rewrite succeeded. The proof of a later rewrite, ${standing.by}, has replaced its proof.`;
    return { state: "replaced", because };
  }
  return { state: "not-proven", because: NO_PROOF };
}
