import { AcceptedLosses } from "#components/shared/loss-list.tsx";
import { ResourceVersion } from "#components/shared/names.tsx";
import { FactRow } from "#components/ui/fact.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { proofSentence } from "#lib/domain/audit/proof-standing.ts";
import { verificationWords } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The proof and whether it is still valid. */
export function ProofSection({ crd }: { crd: CrdDetail }) {
  const { proof } = crd;
  const { unlisted = [], disproved = [] } = crd.contradiction ?? {};
  const contradicted = [...unlisted, ...disproved].filter(({ version }) => version !== proof?.storageVersion);
  return (
    <Section title="Proof" aside={<p>A prune needs a proof. Any spec change voids it.</p>}>
      {proof ? (
        <div className="flex flex-col gap-3">
          {proof.standing === "claimed" ? (
            <Notice tone="warning" title="This crdshift didn't make this proof">
              <p dir="auto">{proofSentence(proof)}</p>
            </Notice>
          ) : proof.invalidBecause ? (
            <Notice tone="warning" title="This proof is no longer valid">
              <p dir="auto">{proof.invalidBecause}</p>
            </Notice>
          ) : contradicted.length > 0 ? (
            <Notice tone="warning" title="etcd contradicts this proof">
              <p>
                {contradicted.map(({ version, objects }) => `${formatCountOf(objects, "object")} stored as ${version}`).join(" and ")}. See
                above.
              </p>
            </Notice>
          ) : (
            <p>
              <span className="text-good">✓</span> {proofSentence(proof)}
            </p>
          )}
          <dl className="grid max-w-2xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
            <FactRow name={proof.standing === "claimed" ? "Claimed" : "Proven"}>
              <Time at={proof.provenAt} seconds dated />
            </FactRow>
            <FactRow name="Verified at resourceVersion">
              <ResourceVersion value={proof.verifiedResourceVersion} />
            </FactRow>
            <FactRow name="Settle point">
              <ResourceVersion value={proof.settleResourceVersion} />
            </FactRow>
            <FactRow name="Settle wait">{formatCount(proof.settleSeconds)} s after the last spec change</FactRow>
            <FactRow name="Verification">{verificationWords(proof.verify)}</FactRow>
            <FactRow name="For">
              storage version <span className="font-mono">{proof.storageVersion}</span>, generation {proof.generation}
            </FactRow>
            <FactRow name="Accepted losses">{proof.acceptedLosses ? <AcceptedLosses accepted={proof.acceptedLosses} /> : "none"}</FactRow>
          </dl>
        </div>
      ) : (
        <p className="text-ink-soft">No proof yet. A rewrite without rejected objects creates one.</p>
      )}
    </Section>
  );
}
