import type { Connection } from "./connection.ts";
import { requestLines } from "./request.ts";

const METRIC = /^apiserver_resource_objects\{([^}]*)\} (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

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
  const match = METRIC.exec(line);
  if (!match) return null;
  const labels = new Map([...(match[1] ?? "").matchAll(LABEL)].map(([, name, value]) => [name, value]));
  const objects = Number(match[2]);
  const [group, resource] = [labels.get("group"), labels.get("resource")];
  return group && resource && objects >= 0 ? { name: `${resource}.${group}`, objects } : null;
}
