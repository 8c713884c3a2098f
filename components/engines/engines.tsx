import { FleetBreadcrumb } from "#components/crd/breadcrumbs.tsx";
import { MigrationHistory } from "#components/migrations/migration-history.tsx";
import { EngineComparison } from "./engine-comparison.tsx";

/** The engines that can rewrite objects in this cluster, and what the others did. */
export function Engines({ cluster }: { cluster: string }) {
  return (
    <div className="pt-4">
      <FleetBreadcrumb cluster={cluster} />
      <h1 className="pt-2 pb-4 text-xl font-semibold tracking-tight">Engines</h1>
      <EngineComparison cluster={cluster} />
      <MigrationHistory cluster={cluster} />
    </div>
  );
}
