import { clsx } from "clsx";
import Link from "next/link";
import type { ReactNode } from "react";
import { rewriteHref } from "#components/shell/hrefs.ts";
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
      <Cell name="What">
        <HistoryMark kind={entry.kind} />
      </Cell>
      <Cell name="By" className="md:min-w-28">
        <By by={entry.by} />
      </Cell>
      <Cell name="In words" className="text-ink-soft md:min-w-40">
        <span dir="auto">{entry.message}</span>{" "}
        {isRemembered && entry.run ? (
          <Link href={rewriteHref(cluster, crd, entry.run)} prefetch={false} className="text-ink underline underline-offset-2">
            The rewrite
          </Link>
        ) : null}
      </Cell>
      <Cell name="Known from" className="text-ink-soft md:min-w-24">
        {entry.sources.join(", ")}
      </Cell>
    </tr>
  );
}

/** A narrow screen shows no head, so that each says its column's name. */
function Cell({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <td
      className={clsx(
        "px-2 py-1.5 [overflow-wrap:anywhere] last:pr-0 max-md:grid max-md:grid-cols-[6rem_minmax(0,1fr)] max-md:gap-x-2 max-md:px-0 max-md:py-0.5",
        className,
      )}
    >
      <span aria-hidden className="text-xs leading-5 text-ink-soft md:hidden">
        {name}
      </span>
      <span>{children}</span>
    </td>
  );
}

function By({ by }: { by: Entry["by"] }) {
  if (by === null) return "–";
  return (
    <>
      <span dir="auto">{by.user}</span>
      {by.from === "event" ? <span className="text-ink-soft">, by an Event</span> : null}
    </>
  );
}
