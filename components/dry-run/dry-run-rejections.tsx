import { RejectionList } from "#components/crd/rejection-list.tsx";
import { Section } from "#components/ui/section.tsx";
import type { Preflight } from "#lib/contract/preflight.ts";

/** Which objects would be rejected and which take no dry run, by reason. */
export function DryRunRejections({ cluster, preflight }: { cluster: string; preflight: Preflight }) {
  const { crd, dryRun } = preflight;
  return (
    <>
      {dryRun.rejections.length > 0 ? (
        <Section title="Would be rejected" aside={<p>In the API server's words. A rewrite would be told the same.</p>}>
          <RejectionList cluster={cluster} crd={crd} label="Rejections" rejections={dryRun.rejections} />
        </Section>
      ) : null}
      {dryRun.cannot.length > 0 ? (
        <Section title="Can't be dry-run" aside={<p>No failure: a rewrite may well get through. It just can't be known before.</p>}>
          <RejectionList cluster={cluster} crd={crd} label="Objects without a dry run" rejections={dryRun.cannot} tone="warning" />
        </Section>
      ) : null}
    </>
  );
}
