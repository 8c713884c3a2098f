"use client";

import { ConversionSection } from "#components/conversion/conversion-section.tsx";
import { FleetBreadcrumb } from "#components/crd/fleet-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { HistorySection } from "#components/history/history-section.tsx";
import { ManagedFieldsSection } from "#components/managed-fields/managed-fields-section.tsx";
import { useCrd } from "#lib/queries/use-cluster-data.ts";
import { ConditionsSection } from "./conditions-section.tsx";
import { DefinitionHeading } from "./definition-heading.tsx";
import { DefinitionSkeleton } from "./definition-skeleton.tsx";
import { DryRunSection } from "./dry-run-section.tsx";
import { KubectlSection } from "./kubectl-section.tsx";
import { MigrationsSection } from "./migrations-section.tsx";
import { NamesSection } from "./names-section.tsx";
import { ProofSection } from "./proof-section.tsx";
import { RewritesSection } from "./rewrites-section.tsx";
import { StatePanel } from "./state-panel.tsx";
import { StoredVersionsSection } from "./stored-versions-section.tsx";
import { VersionsSection } from "./versions-section.tsx";

/** One definition: why it is in its state, and what to do. */
export function Definition({ cluster, crd }: { cluster: string; crd: string }) {
  const { data, error, refetch } = useCrd(cluster, crd);
  return (
    <div className="pt-4">
      <FleetBreadcrumb cluster={cluster} />
      {data ? (
        <>
          <DefinitionHeading cluster={cluster} crd={data} />
          <StatePanel cluster={cluster} crd={data} />
          <VersionsSection cluster={cluster} crd={data} />
          <StoredVersionsSection crd={data} />
          <DryRunSection cluster={cluster} crd={data} />
          <ConversionSection cluster={cluster} crd={data} />
          <ProofSection crd={data} />
          <RewritesSection cluster={cluster} crd={data} />
          <HistorySection cluster={cluster} crd={data} />
          <MigrationsSection cluster={cluster} crd={data} />
          <ManagedFieldsSection cluster={cluster} crd={data} />
          <ConditionsSection cluster={cluster} crd={data} />
          <NamesSection crd={data} />
          <KubectlSection cluster={cluster} crd={data} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject={crd} onRetry={() => refetch()} />
      ) : (
        <DefinitionSkeleton name={crd} />
      )}
    </div>
  );
}
