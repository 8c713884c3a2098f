"use client";

import { useMemo } from "react";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";
import { useCrds } from "#lib/queries/use-cluster-data.ts";
import { filterFleet } from "./filter-fleet.ts";
import { FleetSkeleton } from "./fleet-skeleton.tsx";
import { FleetTable } from "./fleet-table.tsx";
import { FleetToolbar } from "./fleet-toolbar.tsx";
import { NothingMatches } from "./nothing-matches.tsx";
import { RecognisedErrorNote } from "./recognised-error-note.tsx";
import { StateTotals } from "./state-totals.tsx";
import { useFleetView } from "./use-fleet-view.ts";

/** Every definition of a cluster: what blocks a removal, and where to start. */
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
      <RecognisedErrorNote text={view.q} crds={byName} />
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
      <p>There is nothing to rewrite or prune in {cluster}. As soon as somebody creates a definition it shows here. To check:</p>
      <div className="w-full">
        <CodeBlock text="kubectl get customresourcedefinitions" copyLabel="Copy the command" />
      </div>
    </EmptyState>
  );
}
