import Link from "next/link";
import type { ReactNode } from "react";
import { definitionHref, fleetHref } from "#components/shell/hrefs.ts";

const linkClass = "underline-offset-2 hover:text-ink hover:underline";

/** The way back from a page below a definition; `children` are what stands between. */
export function DefinitionBreadcrumb({ cluster, crd, children }: { cluster: string; crd: string; children?: ReactNode }) {
  return (
    <nav aria-label="Breadcrumb" className="flex min-w-0 flex-wrap gap-x-2 text-xs text-ink-soft print:hidden">
      <Link href={fleetHref(cluster)} prefetch={false} className={linkClass}>
        ← Definitions
      </Link>
      <span aria-hidden>/</span>
      <Link href={definitionHref(cluster, crd)} prefetch={false} className={`min-w-0 truncate ${linkClass}`}>
        {crd}
      </Link>
      {children}
    </nav>
  );
}
