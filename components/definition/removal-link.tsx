import Link from "next/link";
import { removalHref } from "#components/shell/hrefs.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { removalProgress } from "#lib/domain/removal/removal.ts";

/** The link to a version's removal path, with its progress. */
export function RemovalLink({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const removal = crd.removals.find((one) => one.version === version);
  const progress = removal ? removalProgress(removal.steps) : null;
  return (
    <Link
      href={removalHref(cluster, crd.name, version)}
      prefetch={false}
      className="inline-flex h-8 items-center gap-1.5 whitespace-nowrap underline decoration-line-strong underline-offset-2 hover:decoration-ink"
    >
      Remove<span className="sr-only"> {version},</span>
      {progress ? (
        <span className="text-xs text-ink-soft">
          {progress.done} of {progress.of} done
        </span>
      ) : null}
    </Link>
  );
}
