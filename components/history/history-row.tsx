import Link from "next/link";
import { rewriteHref } from "#components/hrefs.ts";
import { Mark, type MarkLook } from "#components/shared/marks.tsx";
import { StackedCell } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { History } from "#lib/contract/rewrite/history.ts";
import type { HistoryKind } from "#lib/domain/audit/history.ts";

type Entry = History["items"][number];

/** One entry. `isRemembered` means that its run still has a page. */
export function HistoryRow({ cluster, crd, entry, isRemembered }: { cluster: string; crd: string; entry: Entry; isRemembered: boolean }) {
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-1.5 pr-2 text-left font-normal max-md:block max-md:py-0.5">
        <Time at={entry.at} seconds />
      </th>
      <StackedCell name="Event">
        <Mark {...looks[entry.kind]} aligned />
      </StackedCell>
      <StackedCell name="By" className="md:min-w-28">
        <By by={entry.by} />
      </StackedCell>
      <StackedCell name="Message" className="text-ink-soft md:min-w-40">
        <span dir="auto">{entry.message}</span>{" "}
        {isRemembered && entry.run ? (
          <Link href={rewriteHref(cluster, crd, entry.run)} prefetch={false} className="text-ink underline underline-offset-2">
            View rewrite
          </Link>
        ) : null}
      </StackedCell>
      <StackedCell name="Source" className="text-ink-soft md:min-w-24">
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
      {by.from === "event" ? <span className="text-ink-soft"> (from an Event)</span> : null}
    </>
  );
}

/** The mark of each kind of entry. */
const looks: Record<HistoryKind, MarkLook> = {
  started: { sign: "▸", word: "rewrite started" },
  paused: { sign: "‖", word: "paused", color: "text-warning" },
  resumed: { sign: "▸", word: "resumed" },
  limited: { sign: "·", word: "rate changed" },
  succeeded: { sign: "✓", word: "rewrite succeeded" },
  unproven: { sign: "■", word: "rewrite unproven", color: "text-blocked" },
  cancelled: { sign: "–", word: "rewrite cancelled" },
  interrupted: { sign: "▲", word: "rewrite interrupted", color: "text-warning" },
  failed: { sign: "✕", word: "rewrite failed", color: "text-blocked" },
  pruned: { sign: "✂", word: "pruned", color: "text-ready" },
  unpruned: { sign: "↶", word: "prune undone", color: "text-warning" },
  repaired: { sign: "↶", word: "list repaired", color: "text-warning" },
  deprecated: { sign: "◇", word: "version deprecated" },
  unserved: { sign: "◇", word: "version not served" },
  changed: { sign: "◇", word: "version changed" },
  removed: { sign: "✂", word: "version removed", color: "text-ready" },
  readded: { sign: "↶", word: "version put back", color: "text-warning" },
  unconverted: { sign: "✂", word: "webhook dropped", color: "text-ready" },
  reconverted: { sign: "↶", word: "webhook put back", color: "text-warning" },
  cleaned: { sign: "↺", word: "managedFields cleaned" },
  justified: { sign: "✎", word: "reason given" },
  "dry-run": { sign: "◌", word: "dry run" },
  proven: { sign: "✓", word: "proof", color: "text-good" },
  claimed: { sign: "○", word: "claimed proof", color: "text-warning" },
  other: { sign: "·", word: "other" },
};
