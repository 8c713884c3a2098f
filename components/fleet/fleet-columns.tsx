import { createColumnHelper, createSortedRowModel, rowSortingFeature, tableFeatures } from "@tanstack/react-table";
import { clsx } from "clsx";
import type { ReactNode } from "react";
import { runProgress } from "#components/rewrite/run-steps.ts";
import { StateMark } from "#components/shared/marks.tsx";
import { ObjectTotal } from "#components/shared/object-total.tsx";
import { useCommands } from "#components/shared/use-told.ts";
import { VersionBadge, versionFacts } from "#components/shared/version-badge.tsx";
import { Hint } from "#components/ui/hint.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";

export const fleetFeatures = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

const column = createColumnHelper<typeof fleetFeatures, CrdSummary>();

/** The columns; the name is the row's header and link. */
export const fleetColumns = column.columns([
  column.accessor("name", {
    header: "Name",
    sortDescFirst: false,
    sortFn: (a, b) => (a.original.name < b.original.name ? -1 : 1),
  }),
  column.display({ id: "versions", header: "Versions, by priority", cell: ({ row }) => <VersionsCell crd={row.original} /> }),
  column.display({ id: "stored", header: "Stored", cell: ({ row }) => <StoredCell crd={row.original} /> }),
  column.accessor((crd) => crd.objects.total ?? undefined, {
    id: "objects",
    header: "Objects",
    sortDescFirst: true,
    sortUndefined: "last",
    sortFn: (a, b) => (a.original.objects.total ?? 0) - (b.original.objects.total ?? 0),
    cell: ({ row }) => <ObjectTotal objects={row.original.objects} />,
  }),
  column.accessor("state", {
    header: "State",
    sortDescFirst: false,
    sortFn: (a, b) => crdStates.indexOf(a.original.state) - crdStates.indexOf(b.original.state),
    cell: ({ row }) => <StateCell crd={row.original} />,
  }),
]);

/** Stored versions: leftovers left of the arrow, the storage version right of it. */
function StoredCell({ crd }: { crd: CrdSummary }) {
  const { leftoverVersions: leftovers, storageVersion } = crd;
  if (crd.storedVersions.length === 0) return <span className="text-ink-faint italic">none listed</span>;
  if (leftovers.length === 0)
    return <span className="block truncate font-mono text-xs text-ink-soft">{crd.storedVersions.join(", ")}</span>;
  return (
    <Hint text={<AllStored crd={crd} />} className="flex max-w-full items-center gap-1 font-mono text-xs whitespace-nowrap">
      <span className="min-w-0 truncate text-warning">
        <span className="sr-only">leftover </span>
        {leftovers[0]}
      </span>
      {leftovers.length > 1 ? <span className="shrink-0 text-warning">+{leftovers.length - 1}</span> : null}
      <span aria-hidden className="text-ink-faint">
        →
      </span>
      <span className="sr-only">, storage version </span>
      <span className="min-w-0 max-w-24 truncate">{storageVersion ?? "none"}</span>
    </Hint>
  );
}

function AllStored({ crd }: { crd: CrdSummary }) {
  return (
    <span className="flex flex-col gap-1">
      <span>
        Leftover. The API server won't let you remove {crd.leftoverVersions.length === 1 ? "it" : "them"}:{" "}
        <span className="font-mono [overflow-wrap:anywhere]">{crd.leftoverVersions.join(", ")}</span>
      </span>
      <span className="text-ink-soft">
        status.storedVersions: <span className="font-mono [overflow-wrap:anywhere]">{JSON.stringify(crd.storedVersions)}</span>
      </span>
    </span>
  );
}

/** The state with its reason, or with its progress during a rewrite that nothing blocks. */
function StateCell({ crd }: { crd: CrdSummary }) {
  const because = useCommands()(crd.stateReason);
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateMark state={crd.state} />
      {crd.activeRun && crd.state !== "blocked" ? (
        <RunProgress run={crd.activeRun} name={crd.name} />
      ) : (
        <span dir="auto" title={because} className="min-w-0 truncate text-left text-ink-soft">
          {because}
        </span>
      )}
    </span>
  );
}

function RunProgress({ run, name }: { run: Run; name: string }) {
  const { done, total, percent } = runProgress(run);
  if (run.phase === "settling") return <span className="truncate text-ink-soft">settling</span>;
  if (isOtherEngineAtWork(run)) return <span className="truncate text-ink-soft">by the cluster's own engine</span>;
  return (
    <span className="flex min-w-0 items-center gap-2 whitespace-nowrap text-ink-soft">
      <ProgressBar label={`Rewrite of ${name}`} done={done} total={total} className="w-20" />
      <span className="w-9 text-right">{percent === null ? "–" : `${percent} %`}</span>
      <span className="truncate">{etaText(run)}</span>
    </span>
  );
}

function etaText(run: Run): string {
  if (run.phase === "verifying") return "verifying";
  if (run.phase === "paused") return "paused";
  return run.etaSeconds === null ? "estimating…" : `${formatDuration(run.etaSeconds * 1_000)} left`;
}

/** Roughly how many characters fit in a row, with some for each badge's frame. */
const ROOM = 30;
const FRAME = 4;

/** As many versions as fit, in priority order; the hint lists all of them. */
function VersionsCell({ crd }: { crd: CrdSummary }) {
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
          <span className="sr-only"> more {hidden.length === 1 ? "version" : "versions"}</span>
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

/** A column's width, alignment and visibility, for header, cells and skeleton. */
export function columnClass(id: string): string {
  return clsx("px-2 first:pl-0 last:pr-0", classes[id]);
}

const classes: Record<string, string> = {
  name: "text-left md:w-[38%] lg:w-[25%]",
  versions: "text-left max-lg:hidden lg:w-[20%]",
  stored: "text-left max-lg:hidden lg:w-[13%]",
  objects: "text-right max-md:hidden md:w-24",
  state: "text-left max-md:hidden md:pl-6",
};
