"use client";

import Link from "next/link";
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { definitionHref, fleetHref } from "#components/hrefs.ts";

/** The breadcrumb of a page below a definition; `children` are the further crumbs. */
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

/** The breadcrumb back to all definitions; `children` are the further crumbs. */
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

interface Scope {
  cluster: string;
  crd: string;
}

const ScopeContext = createContext<Scope | null>(null);

/** The definition of the current page; null on a page without one. */
export function useDefinitionScope(): Scope | null {
  return useContext(ScopeContext);
}

/** Provides the definition to everything below it. */
export function DefinitionScope({ cluster, crd, children }: Scope & { children: ReactNode }) {
  const scope = useMemo(() => ({ cluster, crd }), [cluster, crd]);
  return <ScopeContext value={scope}>{children}</ScopeContext>;
}
