"use client";

import Link from "next/link";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { History } from "#lib/contract/history.ts";
import { useHistory, useRewrites } from "#lib/queries/use-cluster-data.ts";
import { HistoryMark } from "./history-mark.tsx";
import { HistoryReach } from "./history-reach.tsx";

const columns = [
  { name: "When" },
  { name: "What" },
  { name: "By", hint: "The user as the API server calls it" },
  { name: "In words" },
  { name: "Known from" },
];

/** What crdshift did to the definition, newest first, and how far back that is known. */
export function HistorySection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useHistory(cluster, crd.name);
  return (
    <Section title="History" aside={<p>What crdshift did here, whoever ran it.</p>}>
      {data ? (
        <div className="flex flex-col gap-3">
          {data.items.length > 0 ? (
            <HistoryTable cluster={cluster} crd={crd} items={data.items} />
          ) : (
            <p className="text-ink-soft">Nothing is known.</p>
          )}
          <HistoryReach history={data} />
        </div>
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <span className="skeleton block h-5 w-64" />
      )}
    </Section>
  );
}

function HistoryTable({ cluster, crd, items }: { cluster: string; crd: CrdDetail; items: History["items"] }) {
  const remembered = new Set(useRewrites(cluster, crd.name).data?.items.map(({ id }) => id));
  return (
    <DataTable label="History" columns={columns}>
      {items.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be alike in all that is known of them
        <tr key={`${entry.kind} ${entry.at} ${index}`}>
          <th scope="row" className="h-9 pr-2 text-left font-normal">
            <Time at={entry.at} seconds />
          </th>
          <DataCell>
            <HistoryMark kind={entry.kind} />
          </DataCell>
          <DataCell className="max-w-40 truncate">{entry.by ? <span title={entry.by}>{entry.by}</span> : "–"}</DataCell>
          <DataCell className="min-w-60 [overflow-wrap:anywhere] text-ink-soft">
            <span dir="auto">{entry.message}</span>{" "}
            {entry.run && remembered.has(entry.run) ? (
              <Link href={rewriteHref(cluster, crd.name, entry.run)} prefetch={false} className="text-ink underline underline-offset-2">
                The rewrite
              </Link>
            ) : null}
          </DataCell>
          <DataCell className="whitespace-nowrap text-ink-soft">{entry.sources.join(", ")}</DataCell>
        </tr>
      ))}
    </DataTable>
  );
}
