import type { BenchDashboard } from "#bench/dashboard.ts";
import { onlyClient, type Turn } from "./turn.ts";

/** crdshift through its HTTP API, verification included. Its wait is what settling took, with a settle time of 0. */
export async function crdshift(dashboard: BenchDashboard, crd: string, count: number): Promise<Turn> {
  const { run, seconds, settledSeconds, usage } = await dashboard.rewrite(crd);
  if (run.counts.rewritten !== count) throw new Error(`crdshift rewrote ${run.counts.rewritten} of ${count} objects.`);
  return { seconds, waitedSeconds: settledSeconds, client: onlyClient(usage) };
}
