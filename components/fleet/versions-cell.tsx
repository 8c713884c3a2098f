import type { ReactNode } from "react";
import { VersionBadge } from "#components/crd/version-badge.tsx";
import { versionFacts } from "#components/crd/version-facts.ts";
import { Hint } from "#components/ui/hint.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";

/** Roughly what a row has room for: characters of names, with some for the frame of each badge. */
const ROOM = 30;
const FRAME = 4;

/** Versions in priority order, as many as fit; all of them in words in the hint. */
export function VersionsCell({ crd }: { crd: CrdSummary }) {
  const shown = crd.versions.slice(0, countThatFits(crd.versions.map(({ name }) => name)));
  const hidden = crd.versions.slice(shown.length);
  return (
    <Hint text={<AllVersions crd={crd} />} className="flex max-w-full items-center gap-1 overflow-hidden">
      {shown.map((version) => (
        <VersionBadge key={version.name} version={version} preferredVersion={crd.preferredVersion} />
      ))}
      {hidden.length > 0 ? (
        <span className="shrink-0 text-xs text-ink-soft">
          +{hidden.length}
          <span className="sr-only"> more versions</span>
          {hidden.some(({ storage }) => storage) ? <span aria-hidden> ◆</span> : null}
        </span>
      ) : null}
    </Hint>
  );
}

function AllVersions({ crd }: { crd: CrdSummary }): ReactNode {
  return (
    <span className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
      {crd.versions.map((version) => (
        <span key={version.name} className="contents">
          <span className="max-w-48 truncate font-mono">{version.name}</span>
          <span className="text-ink-soft">
            {versionFacts(version, crd.preferredVersion).join(", ")}
            {version.deprecationWarning ? (
              <span dir="auto" className="block">
                “{version.deprecationWarning}”
              </span>
            ) : null}
          </span>
        </span>
      ))}
    </span>
  );
}

function countThatFits(names: string[]): number {
  let room = ROOM;
  let count = 0;
  for (const name of names) {
    room -= Math.min(name.length, 22) + FRAME;
    if (room < 0) break;
    count += 1;
  }
  return Math.max(1, count);
}
