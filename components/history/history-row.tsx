import Link from "next/link";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { StackedCell } from "#components/ui/stacked-cell.tsx";
import { Time } from "#components/ui/time.tsx";
import type { History } from "#lib/contract/history.ts";
import { HistoryMark } from "./history-mark.tsx";

type Entry = History["items"][number];

/** `isRemembered`: its run still has a page. */
export function HistoryRow({ cluster, crd, entry, isRemembered }: { cluster: string; crd: string; entry: Entry; isRemembered: boolean }) {
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-1.5 pr-2 text-left font-normal max-md:block max-md:py-0.5">
        <Time at={entry.at} seconds />
      </th>
      <StackedCell name="What">
        <HistoryMark kind={entry.kind} />
      </StackedCell>
      <StackedCell name="By" className="md:min-w-28">
        <By by={entry.by} />
      </StackedCell>
      <StackedCell name="In words" className="text-ink-soft md:min-w-40">
        <span dir="auto">{entry.message}</span>{" "}
        {isRemembered && entry.run ? (
          <Link href={rewriteHref(cluster, crd, entry.run)} prefetch={false} className="text-ink underline underline-offset-2">
            The rewrite
          </Link>
        ) : null}
      </StackedCell>
      <StackedCell name="Known from" className="text-ink-soft md:min-w-24">
        {entry.sources.join(", ")}
      </StackedCell>
    </tr>
  );
}

function By({ by }: { by: Entry["by"] }) {
  if (by === null) return "–";
  return (
    <>
      <span dir="auto">{by.user}</span>
      {by.from === "event" ? <span className="text-ink-soft"> (as an Event says)</span> : null}
    </>
  );
}
