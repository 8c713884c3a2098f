import Link from "next/link";
import type { ReactNode } from "react";
import { definitionHref } from "#components/shell/hrefs.ts";
import { FleetBreadcrumb } from "./fleet-breadcrumb.tsx";

/** The way back from a page below a definition; `children` are what stands between. */
export function DefinitionBreadcrumb({ cluster, crd, children }: { cluster: string; crd: string; children?: ReactNode }) {
  return (
    <FleetBreadcrumb cluster={cluster}>
      <span aria-hidden>/</span>
      <Link
        href={definitionHref(cluster, crd)}
        prefetch={false}
        className="min-w-0 truncate underline-offset-2 hover:text-ink hover:underline"
      >
        {crd}
      </Link>
      {children}
    </FleetBreadcrumb>
  );
}
