import { DryRunSummary } from "#components/dry-run/dry-run-summary.tsx";
import { StartDryRunButton } from "#components/dry-run/start-dry-run-button.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** What a rewrite would lose of objects that are stored as the version, which shows only while it is served. */
export function LossEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  if (!crd.leftoverVersions.includes(version)) return null;
  const canRewrite = crd.versions.some(({ storage, served }) => storage && served);
  return (
    <section aria-label="What would be lost" className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium">What a rewrite would lose</h3>
      <p className="text-ink-soft">
        Objects may be stored as {version}. What {crd.storageVersion} has no place for can be seen only while {version} is served: look now,
        or rewrite now, before it is not.
      </p>
      <DryRunSummary cluster={cluster} crd={crd} />
      <StartDryRunButton cluster={cluster} crd={crd.name} disabled={!canRewrite} />
    </section>
  );
}
