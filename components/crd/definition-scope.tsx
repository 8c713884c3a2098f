"use client";

import { createContext, type ReactNode, useContext, useMemo } from "react";

interface Scope {
  cluster: string;
  crd: string;
}

const ScopeContext = createContext<Scope | null>(null);

/** The definition that the page is about; null on a page of none. */
export function useDefinitionScope(): Scope | null {
  return useContext(ScopeContext);
}

/** Tells everything below it which definition it is about. */
export function DefinitionScope({ cluster, crd, children }: Scope & { children: ReactNode }) {
  const scope = useMemo(() => ({ cluster, crd }), [cluster, crd]);
  return <ScopeContext value={scope}>{children}</ScopeContext>;
}
