"use client";

import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { useHistory } from "#lib/queries/use-cluster-data.ts";
import { HistoryReach } from "./history-reach.tsx";
import { HistoryTable } from "./history-table.tsx";

/** What crdshift did to the definition, newest first, and how far back that is known. */
export function HistorySection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useHistory(cluster, crd.name);
  return (
    <Section title="History" aside={<p>What crdshift did here, whoever ran it.</p>}>
      {data ? (
        <div className="flex flex-col gap-3">
          {data.items.length > 0 ? (
            <HistoryTable cluster={cluster} crd={crd.name} items={data.items} more={data.more} />
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
