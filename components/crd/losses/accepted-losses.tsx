import { Time } from "#components/ui/time.tsx";
import type { AcceptedLosses as Accepted } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { LossList } from "./loss-list.tsx";

/** The losses that were accepted, by whom and when. */
export function AcceptedLosses({ accepted }: { accepted: Accepted }) {
  const { by, at, losses, more, unseen } = accepted;
  const paths = losses.length + more;
  const what = paths > 0 ? formatCountOf(paths, "path") : unseen ? "unseen losses" : "no path";
  return (
    <details>
      <summary className="text-ink">
        <span className="text-warning">{what}</span>, by {by}, <Time at={at} />
      </summary>
      <div className="max-w-2xl pt-1">
        {losses.length > 0 ? (
          <LossList label="Accepted losses" losses={losses} more={more} />
        ) : (
          <p className="text-ink-soft">{unseen ? "Accepted unseen: no dry run could show them." : "None were listed."}</p>
        )}
      </div>
    </details>
  );
}
