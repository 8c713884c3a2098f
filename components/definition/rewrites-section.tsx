"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { engineWords } from "#components/engines/engine-words.ts";
import { rewriteHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { PhaseMark } from "#components/shared/marks.tsx";
import { userOrUnknown } from "#components/shared/names.tsx";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { rewrittenWords } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { useRewrites } from "#lib/queries/live/use-cluster-data.ts";

const columns = [
  { name: "Started" },
  { name: "By" },
  { name: "To" },
  { name: "Engine" },
  { name: "Outcome" },
  { name: "Duration", numeric: true },
  { name: "Rewritten", numeric: true },
  {
    name: "Already current",
    numeric: true,
    hint: "With the cluster's own engine: found at the storage version afterwards, no matter what wrote it.",
  },
  { name: "Gone", numeric: true },
  { name: "Rejected", numeric: true },
];

/** The runs recorded in the definition, newest first. */
export function RewritesSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useRewrites(cluster, crd.name);
  return (
    <Section title="Rewrites">
      {data && data.items.length > 0 ? (
        <DataTable label="Rewrites" columns={columns}>
          {data.items.map((run) => (
            <RunRow key={run.id} cluster={cluster} run={run} />
          ))}
        </DataTable>
      ) : data ? (
        <p className="text-ink-soft">No rewrites yet</p>
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <span className={clsx("block", crd.run ? "h-17" : "h-5")}>
          <span className="skeleton block h-5 w-64" />
        </span>
      )}
    </Section>
  );
}

function RunRow({ cluster, run }: { cluster: string; run: Run }) {
  return (
    <tr>
      <th scope="row" className="h-9 pr-2 text-left font-normal">
        <Link
          href={rewriteHref(cluster, run.crd, run.id)}
          prefetch={false}
          className="underline decoration-line-strong underline-offset-2 hover:decoration-ink"
        >
          <Time at={run.startedAt} seconds />
        </Link>
      </th>
      <DataCell className="max-w-40 truncate">{userOrUnknown(run.startedBy)}</DataCell>
      <DataCell className="font-mono">{run.storageVersion}</DataCell>
      <DataCell className="whitespace-nowrap">{delegates(run.engine) ? engineWords[run.engine].name : "crdshift"}</DataCell>
      <DataCell>
        <PhaseMark phase={run.phase} />
      </DataCell>
      <DataCell numeric>{run.endedAt ? formatDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt)) : "–"}</DataCell>
      <DataCell numeric>{rewrittenWords(run)}</DataCell>
      <DataCell numeric>{formatCount(run.counts.alreadyCurrent)}</DataCell>
      <DataCell numeric>{formatCount(run.counts.gone)}</DataCell>
      <DataCell numeric className={run.counts.rejected > 0 ? "text-blocked" : ""}>
        {formatCount(run.counts.rejected)}
      </DataCell>
    </tr>
  );
}
