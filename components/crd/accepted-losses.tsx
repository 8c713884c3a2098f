import { formatCountOf } from "#components/ui/format-count.ts";
import { Time } from "#components/ui/time.tsx";
import type { AcceptedLosses as Accepted } from "#lib/domain/rewrite.ts";
import { LossList } from "./loss-list.tsx";

/** What somebody accepted to lose, who and when. */
export function AcceptedLosses({ accepted }: { accepted: Accepted }) {
  const { by, at, losses, more, preflight } = accepted;
  return (
    <details>
      <summary className="text-ink">
        <span className="text-warning">{formatCountOf(losses.length + more, "path")}</span>, by {by}, <Time at={at} />
      </summary>
      <div className="max-w-2xl pt-1">
        {losses.length > 0 ? (
          <LossList label="Accepted losses" losses={losses} more={more} />
        ) : (
          <p className="text-ink-soft">
            {preflight === null ? "Accepted unseen: no dry run had told what they are." : "None were listed."}
          </p>
        )}
      </div>
    </details>
  );
}
