import { requestLines } from "#lib/cluster/transport/request.ts";
import { retryPassing } from "#lib/cluster/transport/retry-passing.ts";
import type { BenchCluster } from "./bench-cluster.ts";
import type { Widgets } from "./widgets.ts";

const GIVE_UP_MS = 30 * 60_000;

/**
 * Watches for the next change of any object and returns a promise of its time by performance.now(). The watch ends with that
 * change, so later changes cost nothing.
 */
export async function nextChange({ api, connection }: BenchCluster, { definition }: Widgets, over: AbortSignal) {
  const path = definition.path("v1");
  const { metadata } = await api.list(`${path}?limit=1`);
  const query = new URLSearchParams({ watch: "1", resourceVersion: metadata.resourceVersion, timeoutSeconds: String(GIVE_UP_MS / 1_000) });
  // Right after a flip the API server may answer that storage is (re)initializing. No change is missed: the watch begins at the list.
  const changed = retryPassing(async () => {
    const lines = requestLines(connection, {
      path: `${path}?${query}`,
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      signal: over,
      timeoutMs: GIVE_UP_MS,
    });
    for await (const _ of lines) return performance.now();
    throw new Error("The watch ended without a change.");
  }, over);
  // It may fail before anyone awaits it.
  changed.catch(() => {});
  return { changed };
}
