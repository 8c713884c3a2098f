"use client";

import { clsx } from "clsx";
import { useMemo } from "react";
import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { useCrds } from "#lib/queries/live/use-cluster-data.ts";
import { filterFleet, type RecognizedError, recognizeApiError } from "./filter-fleet.ts";
import { columnClass } from "./fleet-columns.tsx";
import { FleetTable } from "./fleet-table.tsx";
import { FleetToolbar, StateTotals } from "./fleet-toolbar.tsx";
import { useFleetView } from "./use-fleet-view.ts";

/** All definitions of a cluster: what blocks removals, and where to start. */
export function Fleet({ cluster }: { cluster: string }) {
  const { data, error, refetch } = useCrds(cluster);
  if (error && !data) return <LoadFailure error={error} subject="CustomResourceDefinitions" onRetry={() => refetch()} />;
  if (data?.items.length === 0) return <EmptyFleet cluster={cluster} />;
  return <LoadedFleet cluster={cluster} crds={data?.items ?? null} />;
}

function LoadedFleet({ cluster, crds }: { cluster: string; crds: CrdSummary[] | null }) {
  const { view, setView, clearFilters } = useFleetView();
  const byName = useMemo(() => crds?.toSorted((a, b) => (a.name < b.name ? -1 : 1)) ?? null, [crds]);
  const shown = useMemo(
    () => byName && filterFleet(byName, { text: view.q, states: view.state, group: view.group }),
    [byName, view.q, view.state, view.group],
  );
  return (
    <>
      <h1 className="sr-only">Definitions of {cluster}</h1>
      <StateTotals crds={byName} shown={shown?.length ?? null} selected={view.state} onSelect={(state) => setView({ state })} />
      <FleetToolbar crds={byName} view={view} setView={setView} />
      <RecognizedErrorNote text={view.q} crds={byName} />
      {shown === null ? <FleetSkeleton /> : null}
      {shown?.length === 0 ? <NothingMatches text={view.q} onClear={clearFilters} /> : null}
      {shown && shown.length > 0 ? (
        <FleetTable
          cluster={cluster}
          crds={shown}
          sort={view.sort}
          desc={view.desc}
          onSort={(sort, desc) => setView({ sort: sort === "state" && !desc ? null : sort, desc: desc || null })}
        />
      ) : null}
    </>
  );
}

function EmptyFleet({ cluster }: { cluster: string }) {
  return (
    <EmptyState title="This cluster has no CustomResourceDefinitions">
      <p>There is nothing to rewrite or prune in {cluster}. New definitions appear here automatically. To check:</p>
      <div className="w-full">
        <KubectlBlock command={(kubectl) => `${kubectl} get customresourcedefinitions`} copyLabel="Copy the command" />
      </div>
    </EmptyState>
  );
}

/** Replaces the table when no definition matches the filters. */
function NothingMatches({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <EmptyState title="No matching definitions" level="h2">
      <p className="[overflow-wrap:anywhere]">
        {text && !recognizeApiError(text)
          ? `No definition that matches the filters has “${text}” in its name, group or kind.`
          : "No definition matches the filters."}
      </p>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyState>
  );
}

/** Explains a pasted API server error. */
function RecognizedErrorNote({ text, crds }: { text: string; crds: CrdSummary[] | null }) {
  const error = recognizeApiError(text);
  if (!error || !crds) return null;
  const meant = error.crd === null ? null : (crds.find((crd) => crd.name === error.crd) ?? null);
  return (
    <div className="pb-2">
      <Notice tone="neutral" role="status" title="API server error recognized">
        <p>{explanation(error, meant)}</p>
      </Notice>
    </div>
  );
}

function explanation(error: RecognizedError, crd: CrdSummary | null): string {
  const versions = error.versions.join(", ");
  if (error.crd === null) {
    return `The API server won't remove ${versions} while status.storedVersions lists ${error.versions.length === 1 ? "it" : "them"}. Showing the definitions where it does.`;
  }
  if (crd === null) return `The error is about ${error.crd}, which doesn't exist in this cluster. Is it from another cluster?`;
  if (error.versions.length === 0) return `The error is about ${error.crd}.`;
  const left = error.versions.filter((version) => crd.leftoverVersions.includes(version));
  if (left.length > 0) return `${error.crd} still lists ${left.join(", ")} in status.storedVersions. Rewrite its objects, then prune.`;
  return `${error.crd} no longer has ${versions} as a leftover version; the error may be out of date.`;
}

const rows = Array.from({ length: 14 }, (_, index) => index);
const nameWidths = ["w-64", "w-48", "w-56", "w-40", "w-60"];

/** The loading state: a table of empty rows. */
function FleetSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading definitions…</span>
      <table aria-hidden className="w-full table-fixed text-sm">
        <thead>
          <tr className="h-8 border-b border-line text-xs text-ink-soft">
            <th className={clsx(columnClass("name"), "font-medium")}>Name</th>
            <th className={clsx(columnClass("versions"), "font-medium")}>Versions, by priority</th>
            <th className={clsx(columnClass("stored"), "font-medium")}>Stored</th>
            <th className={clsx(columnClass("objects"), "font-medium")}>Objects</th>
            <th className={clsx(columnClass("state"), "font-medium")}>State</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row} className="h-15 border-b border-line md:h-9">
              <td className={columnClass("name")}>
                <span className={clsx("skeleton block h-3 max-w-full", nameWidths[row % nameWidths.length])} />
              </td>
              <td className={columnClass("versions")}>
                <span className="skeleton block h-3 w-28" />
              </td>
              <td className={columnClass("stored")}>
                <span className="skeleton block h-3 w-16" />
              </td>
              <td className={columnClass("objects")}>
                <span className="skeleton ml-auto block h-3 w-10" />
              </td>
              <td className={columnClass("state")}>
                <span className="skeleton block h-3 w-48 max-w-full" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
