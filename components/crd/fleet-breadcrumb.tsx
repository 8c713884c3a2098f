import Link from "next/link";
import type { ReactNode } from "react";
import { fleetHref } from "#components/shell/hrefs.ts";

/** The way back to all definitions; `children` are what stands between. */
export function FleetBreadcrumb({ cluster, children }: { cluster: string; children?: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-wrap gap-x-2 text-xs text-ink-soft print:hidden">
      <Link href={fleetHref(cluster)} prefetch={false} className="underline-offset-2 hover:text-ink hover:underline">
        ← Definitions
      </Link>
      {children}
    </nav>
  );
}
