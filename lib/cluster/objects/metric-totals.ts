import type { Connection } from "#lib/cluster/connection/connection.ts";
import { metricSample } from "#lib/cluster/transport/metric-sample.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";

const METRICS = ["apiserver_resource_objects"] as const;

/**
 * Objects per resource (`<plural>.<group>`) as the API server's metric has them: approximate, up to about two and a half
 * minutes late, absent for resources that nobody touched. Good for a first paint only.
 * Source: kubernetes.io "Kubernetes Metrics Reference", apiserver_resource_objects.
 */
export async function readMetricTotals(connection: Connection, signal: AbortSignal): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  for await (const line of requestLines(connection, { path: "/metrics", accept: "text/plain", signal, timeoutMs: 10_000 })) {
    const metric = parseMetricLine(line);
    if (metric) totals.set(metric.name, metric.objects);
  }
  return totals;
}

/** One line of the metric, or null for any other line and for -1, which says that the API server could not count. */
export function parseMetricLine(line: string): { name: string; objects: number } | null {
  const sample = metricSample(line, METRICS);
  const [group, resource] = [sample?.labels.get("group"), sample?.labels.get("resource")];
  return sample && group && resource && sample.value >= 0 ? { name: `${resource}.${group}`, objects: sample.value } : null;
}
