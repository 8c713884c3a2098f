import Link from "next/link";
import { removalHref } from "#components/shell/hrefs.ts";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** The versions that were removed, newest first, each with the way back and what is left to do for it. */
export function RemovedVersion({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return crd.removedVersions.map(({ version, removedAt, by }) => (
    <p key={version} className="pt-3 text-ink-soft [overflow-wrap:anywhere]">
      <span className="font-mono">{version}</span> was removed <Time at={removedAt} />
      {by ? (
        <>
          {" "}
          by <span dir="auto">{by}</span>
        </>
      ) : null}
      .{" "}
      <Link href={removalHref(cluster, crd.name, version)} prefetch={false} className="text-ink underline underline-offset-2">
        Put it back, or see what is left to do
      </Link>
    </p>
  ));
}
