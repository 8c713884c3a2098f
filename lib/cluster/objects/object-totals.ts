import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import { metricSample } from "#lib/cluster/transport/metric-sample.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import { errorMessage } from "#lib/contract/app-error.ts";
import type { ObjectTotal } from "#lib/contract/definition/crd.ts";
import { lostVersionIn } from "#lib/domain/conversion/conversion-failure.ts";
import { type Crd, readingVersion } from "#lib/domain/definition/crd.ts";
import { whyNothingServed } from "#lib/domain/definition/stored-versions.ts";
import { listObjects } from "./object-pages.ts";

/** How many objects a definition has, and whether conversion failed while counting. */
export interface CountedTotal extends ObjectTotal {
  conversionFailure: string | null;
}

export const UNCOUNTED: CountedTotal = { total: null, basis: "unknown", asOf: null, message: null, conversionFailure: null };

/** Counts the objects of each definition, so many definitions at a time, and reports each total as it arrives. */
export async function countTotals(
  connection: Connection,
  crds: Crd[],
  options: { concurrency: number; signal: AbortSignal },
  onTotal: (crd: Crd, total: CountedTotal) => void,
): Promise<void> {
  await forEachConcurrently(crds, options, async (crd) => {
    onTotal(crd, await countTotal(connection, crd, options.signal));
  });
}

/** The exact number of objects, from a list with limit=1, which costs the API server next to nothing. */
async function countTotal(connection: Connection, crd: Crd, signal: AbortSignal): Promise<CountedTotal> {
  const version = readingVersion(crd);
  const asOf = new Date().toISOString();
  if (!version) return { ...UNCOUNTED, ...NO_VERSION_SERVED, asOf };
  try {
    const { total } = await listObjects(connection, crd, { version: version.name, limit: 1, signal });
    return { total, basis: "list", asOf, message: null, conversionFailure: null };
  } catch (error) {
    signal.throwIfAborted();
    const answer = clusterAnswer(error);
    const why = whyUncounted(crd, error);
    return {
      total: null,
      ...why,
      asOf,
      conversionFailure: answer && (isConversionFailure(answer) || lostVersionIn(answer.message)) ? why.message : null,
    };
  }
}

/** Why there is no count of a definition's objects: listing them is denied, failed, or impossible. */
interface Uncounted {
  basis: "denied" | "failed" | "unknown";
  message: string;
}

export const NO_VERSION_SERVED: Uncounted = { basis: "unknown", message: "No version is served, so nothing can be listed." };

/** What a failed list of a definition's objects says about their number. */
export function whyUncounted(crd: Crd, error: unknown): Uncounted {
  const answer = clusterAnswer(error);
  const because = answer?.status === 404 ? whyNothingServed(crd) : null;
  if (because) return { basis: "unknown", message: `Not served: ${because}; its conditions say why` };
  return { basis: answer?.status === 403 ? "denied" : "failed", message: answer?.message || errorMessage(error) };
}

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
