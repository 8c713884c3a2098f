import { inject } from "vitest";
import type { TestCluster } from "./vitest-global-setup.ts";

/** The API server of the worker that runs this test file. The files of one worker run one after the other. */
export function workerCluster(): TestCluster {
  const worker = Number(process.env.VITEST_POOL_ID);
  const clusters = inject("clusters");
  const cluster = clusters[worker - 1];
  if (!cluster) throw new Error(`This is worker ${worker}, and there are API servers for ${clusters.length}.`);
  return cluster;
}
