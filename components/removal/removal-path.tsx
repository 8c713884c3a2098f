"use client";

import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { pluralOf } from "#components/shared/names.tsx";
import { useCrd } from "#lib/queries/live/use-cluster-data.ts";
import { StepList } from "./step-list.tsx";

/** The removal path of a version: each step with its evidence, its action and its undo. */
export function RemovalPath({ cluster, crd, version }: { cluster: string; crd: string; version: string }) {
  const { data, error, refetch } = useCrd(cluster, crd);
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        Remove <span className="font-mono text-lg">{version}</span> from {pluralOf(crd)}
      </h1>
      {data ? (
        <StepList cluster={cluster} crd={data} version={version} />
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <RemovalSkeleton />
      )}
    </div>
  );
}

const rows = [1, 2, 3, 4, 5];

/** Placeholder for the five steps while the definition loads. */
function RemovalSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the definition…</span>
      <div aria-hidden className="pt-2">
        <div className="flex h-10 items-center">
          <span className="skeleton h-3 w-96 max-w-full" />
        </div>
        {rows.map((row) => (
          <div key={row} className="flex h-12 items-center gap-3 border-t border-line">
            <span className="skeleton h-3 w-4" />
            <span className="skeleton h-3 w-56 max-w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}
