"use client";

import { DefinitionBreadcrumb } from "#components/crd/definition-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { pluralOf } from "#components/crd/plural-of.ts";
import { useCrd } from "#lib/queries/use-cluster-data.ts";
import { RemovalSkeleton } from "./removal-skeleton.tsx";
import { RemovalSteps } from "./removal-steps.tsx";

/** The way to take a version out of its definition: what each step rests on, what it does, and how it is undone. */
export function RemovalPath({ cluster, crd, version }: { cluster: string; crd: string; version: string }) {
  const { data, error, refetch } = useCrd(cluster, crd);
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        Remove <span className="font-mono text-lg">{version}</span> from {pluralOf(crd)}
      </h1>
      {data ? (
        <RemovalSteps cluster={cluster} crd={data} version={version} />
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <RemovalSkeleton />
      )}
    </div>
  );
}
