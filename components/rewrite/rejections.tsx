import { RejectionList } from "#components/crd/rejection-list.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { Run } from "#lib/contract/run.ts";
import { RetryButtons } from "./retry-buttons.tsx";

/** What the API server refused, by reason, and how to try it again. */
export function Rejections({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail | null }) {
  if (run.rejections.length === 0) return null;
  return (
    <Section
      title="Rejected"
      aside={
        <>
          <p>In the API server's words. Mend the cause, then try these objects again.</p>
          {crd ? <RetryButtons cluster={cluster} run={run} crd={crd} /> : null}
        </>
      }
    >
      <RejectionList cluster={cluster} crd={run.crd} label="Rejections" rejections={run.rejections} />
    </Section>
  );
}
