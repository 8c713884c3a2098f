import type { Connection } from "#lib/cluster/connection/connection.ts";
import { metricSample } from "#lib/cluster/transport/metric-sample.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";

const METRICS = ["apiserver_resource_objects"] as const;

/**
 * Objects per resource (`<plural>.<group>`) from the API server's metric: approximate, up to about two and a half minutes old, and
 * missing for resources that no one has touched. Only good for a first paint.
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

/** Parses one line of the metric; null for any other line and for -1, which means that the API server couldn't count. */
export function parseMetricLine(line: string): { name: string; objects: number } | null {
  const sample = metricSample(line, METRICS);
  const [group, resource] = [sample?.labels.get("group"), sample?.labels.get("resource")];
  return sample && group && resource && sample.value >= 0 ? { name: `${resource}.${group}`, objects: sample.value } : null;
}
