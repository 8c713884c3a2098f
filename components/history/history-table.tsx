"use client";

import { Button } from "#components/ui/button.tsx";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { useFold } from "#components/ui/use-fold.ts";
import type { History } from "#lib/contract/history.ts";
import { useRewrites } from "#lib/queries/use-cluster-data.ts";
import { HistoryRow } from "./history-row.tsx";

interface Props {
  cluster: string;
  crd: string;
  items: History["items"];
  /** How many older ones are left out of these. */
  more: number;
}

/** At first; the rest when somebody asks for it. */
const SHOWN = 50;

const headClass = "h-8 px-2 font-medium first:pl-0 last:pr-0";

/** What happened, newest first: a row each, and on a narrow screen a block each. */
export function HistoryTable({ cluster, crd, items, more }: Props) {
  const remembered = new Set(useRewrites(cluster, crd).data?.items.map(({ id }) => id));
  const { shown, folded, unfold } = useFold(items, SHOWN);
  return (
    <div className="flex flex-col items-start gap-2">
      <table aria-label="History" className="w-full text-sm max-md:block">
        <thead className="max-md:sr-only">
          <tr className="border-b border-line text-left text-xs text-ink-soft">
            <th scope="col" className={headClass}>
              When
            </th>
            <th scope="col" className={headClass}>
              What
            </th>
            <th
              scope="col"
              title="The user as the API server calls it. “As an Event says”: the annotation names nobody, and an Event may name anybody."
              className={headClass}
            >
              By
            </th>
            <th scope="col" className={headClass}>
              In words
            </th>
            <th scope="col" className={headClass}>
              Known from
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line max-md:block">
          {shown.map((entry, index) => (
            <HistoryRow
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be alike in all that is known of them
              key={`${entry.kind} ${entry.at} ${index}`}
              cluster={cluster}
              crd={crd}
              entry={entry}
              isRemembered={entry.run !== null && remembered.has(entry.run)}
            />
          ))}
        </tbody>
      </table>
      {folded > 0 ? <Button onClick={unfold}>Show {formatCount(folded)} more</Button> : null}
      {more > 0 && folded === 0 ? (
        <p className="text-xs text-ink-soft">
          {formatCountOf(more, "older entry", "older entries")}, known from Events alone, {more === 1 ? "is" : "are"} left out here.
        </p>
      ) : null}
    </div>
  );
}
