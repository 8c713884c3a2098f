import type { ReactNode } from "react";
import { ResourceVersion } from "#components/crd/crd-name.tsx";
import { AcceptedLosses } from "#components/crd/loss-list.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
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
          {proof.invalidBecause ? (
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
              <span className="text-good">✓</span> {formatCountOf(proof.objects, "object")} proven to be stored as{" "}
              <span className="font-mono">{proof.storageVersion}</span>.
            </p>
          )}
          <dl className="grid max-w-2xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
            <Fact name="Proven">
              <Time at={proof.provenAt} seconds dated />
            </Fact>
            <Fact name="Verified at resourceVersion">
              <ResourceVersion value={proof.verifiedResourceVersion} />
            </Fact>
            <Fact name="Settle point">
              <ResourceVersion value={proof.settleResourceVersion} />
            </Fact>
            <Fact name="Settle wait">{formatCount(proof.settleSeconds)} s after the last spec change</Fact>
            <Fact name="Verification">
              {proof.verify === "every-object"
                ? "every object patched again"
                : "every object above the settle point or unchanged by its patch"}
            </Fact>
            <Fact name="For">
              storage version <span className="font-mono">{proof.storageVersion}</span>, generation {proof.generation}
            </Fact>
            <Fact name="Accepted losses">{proof.acceptedLosses ? <AcceptedLosses accepted={proof.acceptedLosses} /> : "none"}</Fact>
          </dl>
        </div>
      ) : (
        <p className="text-ink-soft">No proof yet. A rewrite without rejected objects creates one.</p>
      )}
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
