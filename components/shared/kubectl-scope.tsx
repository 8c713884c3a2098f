"use client";

import { createContext, type ReactNode, useContext } from "react";
import { useSession } from "#lib/queries/session/session-query.ts";
import { kubectlFor } from "./kubectl.ts";

const KubectlContext = createContext("kubectl");

/** The kubectl call for the cluster of the current page. */
export function useKubectl(): string {
  return useContext(KubectlContext);
}

/** Provides the kubectl call for a cluster to everything below it. */
export function KubectlScope({ cluster, children }: { cluster: string; children: ReactNode }) {
  return <KubectlContext value={kubectlFor(useSession(), cluster)}>{children}</KubectlContext>;
}
