"use client";

import Link from "next/link";
import { DryRunSummary } from "#components/dry-run/dry-run-summary.tsx";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { useRunningDryRun } from "#lib/queries/live/use-cluster-data.ts";

/** The newest dry run's result, and the running one. */
export function DryRunSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const running = useRunningDryRun(cluster, crd.name);
  return (
    <Section title="Dry run" aside={<p>Sends a rewrite's patches without storing anything. Any spec change voids the result.</p>}>
      <div className="flex flex-col gap-3">
        {running ? (
          <Notice tone="working" title="A dry run is in progress">
            <Link href={dryRunHref(cluster, crd.name, running.id)} prefetch={false} className="text-ink underline underline-offset-2">
              {running.dryRun.planned === null
                ? "Watch it"
                : `Watch it: ${formatCount(running.dryRun.checked)} of ${formatCount(running.dryRun.planned)} tried`}
            </Link>
          </Notice>
        ) : null}
        <DryRunSummary cluster={cluster} crd={crd} />
      </div>
    </Section>
  );
}
