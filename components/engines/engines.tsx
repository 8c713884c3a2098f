import Link from "next/link";
import { MigrationHistory } from "#components/migrations/migration-history.tsx";
import { fleetHref } from "#components/shell/hrefs.ts";
import { EngineComparison } from "./engine-comparison.tsx";

/** Who can rewrite objects in this cluster, and what others than crdshift did. */
export function Engines({ cluster }: { cluster: string }) {
  return (
    <div className="pt-4">
      <nav aria-label="Breadcrumb" className="text-xs text-ink-soft">
        <Link href={fleetHref(cluster)} prefetch={false} className="underline-offset-2 hover:text-ink hover:underline">
          ← Definitions
        </Link>
      </nav>
      <h1 className="pt-2 pb-4 text-xl font-semibold tracking-tight">Engines</h1>
      <EngineComparison cluster={cluster} />
      <MigrationHistory cluster={cluster} />
    </div>
  );
}
