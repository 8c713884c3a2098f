"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { fleetHref } from "#components/hrefs.ts";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { useClusters } from "#lib/queries/live/use-cluster-data.ts";

/** Redirects to the current cluster, or says why it can't. */
export function FirstCluster() {
  const router = useRouter();
  const { data, error, refetch } = useClusters();
  const first = data && (data.clusters.find(({ current }) => current) ?? data.clusters[0]);
  useEffect(() => {
    if (first) router.replace(fleetHref(first.name));
  }, [first, router]);

  if (error && !data) return <LoadFailure error={error} subject="the clusters" onRetry={() => refetch()} />;
  if (data && !first) {
    return (
      <EmptyState title="No cluster to show">
        <p>
          The kubeconfig that crdshift was started with has no contexts. Start crdshift with another kubeconfig, or with a demo cluster:
        </p>
        <div className="w-full">
          <CodeBlock text="npm start -- --demo" copyLabel="Copy the command" />
        </div>
      </EmptyState>
    );
  }
  return (
    <div role="status" className="px-4 py-16 sm:px-6">
      <h1 className="text-ink-soft">Finding your clusters…</h1>
    </div>
  );
}
