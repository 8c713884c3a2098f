import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { CustomResource } from "#lib/cluster/objects/object-path.ts";
import { metricSample } from "#lib/cluster/transport/metric-sample.ts";
import { plainText } from "#lib/cluster/transport/plain-text.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { VersionRequests } from "#lib/contract/definition/version-requests.ts";

type Resource = Pick<CustomResource, "group" | "plural">;
type Lines = AsyncIterable<string> | Iterable<string>;

const METRICS = [
  "process_start_time_seconds",
  "apiserver_request_total",
  "apiserver_longrunning_requests",
  "apiserver_requested_deprecated_apis",
] as const;
/** The API server also counts requests it rejects for overload, with any version that their path has. */
const VERSION = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_ENTRIES = 5_000;
const YEAR_10000_SECONDS = 253_402_300_800;

/**
 * The requests at each version of a definition, as counted by the API server that answers, since it started.
 * Source: apiserver/pkg/endpoints/metrics/metrics.go and apiextensions-apiserver/pkg/apiserver/customresource_handler.go at v0.36.3.
 * @throws AppError forbidden without permission to read metrics, precondition_failed if the API server doesn't count requests.
 */
export async function readVersionRequests(connection: Connection, resource: Resource, signal: AbortSignal): Promise<VersionRequests> {
  const asOf = new Date().toISOString();
  const lines = requestLines(connection, { path: "/metrics", accept: "text/plain", signal, timeoutMs: 10_000 });
  return { asOf, ...(await requestsIn(lines, resource)) };
}

/** Parses the requests from the lines of an API server's metrics. */
export async function requestsIn(lines: Lines, { group, plural }: Resource): Promise<Omit<VersionRequests, "asOf">> {
  const requests = new Map<string, VersionRequests["requests"][number]>();
  const openWatches = new Map<string, VersionRequests["openWatches"][number]>();
  const deprecatedRequested = new Map<string, VersionRequests["deprecatedRequested"][number]>();
  let startedAt: string | null = null;
  let areRequestsCounted = false;
  for await (const line of lines) {
    const sample = metricSample(line, METRICS);
    if (!sample) continue;
    const { name, labels, value } = sample;
    const label = (key: string) => plainText(labels.get(key) ?? "");
    const [version, subresource] = [label("version"), label("subresource")];
    const isCount = Number.isSafeInteger(value) && value > 0;
    const isOurs = isCount && label("group") === group && label("resource") === plural && VERSION.test(version);
    switch (name) {
      case "process_start_time_seconds":
        startedAt = timeOf(value);
        break;
      case "apiserver_request_total": {
        areRequestsCounted = true;
        const counter = { version, verb: label("verb"), code: label("code"), subresource };
        // Samples may differ only in labels that are ignored here.
        if (isOurs) entryOf(requests, JSON.stringify(counter), { ...counter, requests: 0 }).requests += value;
        break;
      }
      case "apiserver_longrunning_requests":
        if (isOurs && label("verb") === "WATCH") entryOf(openWatches, version, { version, watches: 0 }).watches += value;
        break;
      case "apiserver_requested_deprecated_apis":
        if (isOurs) entryOf(deprecatedRequested, JSON.stringify([version, subresource]), { version, subresource });
        break;
      default:
        name satisfies never;
    }
  }
  if (!areRequestsCounted) {
    throw new AppError("precondition_failed", "The API server doesn't count requests: its metrics have no apiserver_request_total.", {
      nextStep:
        "Ask the cluster's administrator for that metric (--disabled-metrics turns it off). Without it, only the audit log shows this.",
    });
  }
  return {
    startedAt,
    requests: [...requests.values()].sort((one, other) => other.requests - one.requests),
    openWatches: [...openWatches.values()],
    deprecatedRequested: [...deprecatedRequested.values()],
  };
}

/** The entry for a key, created if missing; entries beyond the limit aren't kept. */
function entryOf<Entry>(entries: Map<string, Entry>, key: string, first: Entry): Entry {
  const known = entries.get(key);
  if (known) return known;
  if (entries.size < MAX_ENTRIES) entries.set(key, first);
  return first;
}

function timeOf(seconds: number): string | null {
  return seconds > 0 && seconds < YEAR_10000_SECONDS ? new Date(seconds * 1_000).toISOString() : null;
}
