import type { ServerResponse } from "node:http";
import { longestSilence } from "#lib/cluster/fleet/fleet-of.ts";
import { apiRequests, DURATION_BOUNDS } from "#lib/cluster/transport/api-requests.ts";
import { crdshiftVersion } from "#lib/cluster/transport/request.ts";
import { livePhases } from "#lib/domain/rewrite/run.ts";
import { countEventStreams } from "#lib/http/event-stream.ts";
import { readEventLoopDelay } from "#lib/process-wide/event-loop-delay.ts";
import { outcomesHere } from "#lib/rewrite/run/progress/outcomes-here.ts";
import { runsHere } from "#lib/rewrite/run/running.ts";
import { histogramSamples, METRICS_TYPE, type Metric, metricsText } from "./metrics-text.ts";

/** The metrics of GET /metrics: numbers about this process that never name a cluster or its contents. */
export function readMetrics(): Metric[] {
  return [...runMetrics(), ...apiMetrics(), ...audienceMetrics(), ...processMetrics()];
}

function runMetrics(): Metric[] {
  const runs = runsHere();
  const { rewritten, alreadyCurrent, gone, rejected } = outcomesHere();
  const outcomes = { rewritten, already_current: alreadyCurrent, gone, rejected };
  return [
    {
      name: "crdshift_runs",
      type: "gauge",
      help: "Rewrites running in this process, by phase.",
      samples: livePhases.map((phase) => ({ labels: { phase }, value: runs.filter((run) => run.phase === phase).length })),
    },
    {
      name: "crdshift_objects_total",
      type: "counter",
      help: "Objects that a pass has processed, by outcome; a verification counts them again.",
      samples: Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      name: "crdshift_rewrite_objects_per_second",
      type: "gauge",
      help: "Combined pace of all rewrites running in this process, over the last ten seconds.",
      samples: [{ value: runs.reduce((sum, { ratePerSecond }) => sum + (ratePerSecond ?? 0), 0) }],
    },
  ];
}

function apiMetrics(): Metric[] {
  const { byMethod, errors } = apiRequests();
  const methods = [...byMethod];
  return [
    {
      name: "crdshift_api_requests_total",
      type: "counter",
      help: 'Requests to API servers, by method and status; code "none" for requests without an answer.',
      samples: methods.flatMap(([method, { byStatus }]) =>
        [...byStatus].map(([status, value]) => ({ labels: { method, code: status === 0 ? "none" : String(status) }, value })),
      ),
    },
    {
      name: "crdshift_api_request_duration_seconds",
      type: "histogram",
      help: "How long requests to API servers took until the end of the answer; for a watch, until it began.",
      samples: methods.flatMap(([method, { byDuration, seconds }]) => histogramSamples(DURATION_BOUNDS, byDuration, seconds, { method })),
    },
    {
      name: "crdshift_api_errors_total",
      type: "counter",
      help: "Failed requests to API servers, by crdshift's error code; some failures are expected, such as not_found.",
      samples: [...errors].map(([reason, value]) => ({ labels: { reason }, value })),
    },
  ];
}

function audienceMetrics(): Metric[] {
  return [
    {
      name: "crdshift_watch_age_seconds",
      type: "gauge",
      help: "Time since the watch of definitions last delivered anything, the longest of several; about a minute is normal, 0 while no one looks.",
      samples: [{ value: longestSilence() / 1_000 }],
    },
    {
      name: "crdshift_event_stream_clients",
      type: "gauge",
      help: "Event streams that are open.",
      samples: [{ value: countEventStreams() }],
    },
  ];
}

/** The answer to GET /metrics. */
export function answerMetrics(response: ServerResponse): void {
  response.writeHead(200, { "content-type": METRICS_TYPE, "cache-control": "no-store" });
  response.end(metricsText(readMetrics()));
}

/** This process's resource usage, with the metric names that Prometheus's own clients use. */
function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
  const lag = readEventLoopDelay();
  return [
    gauge("crdshift_build_info", "Always 1; the label gives the version of crdshift.", 1, { version: crdshiftVersion }),
    gauge("process_start_time_seconds", "When the process started, in seconds since the epoch.", performance.timeOrigin / 1_000),
    gauge("process_resident_memory_bytes", "Resident memory of the process.", process.memoryUsage.rss()),
    {
      name: "process_cpu_seconds_total",
      type: "counter",
      help: "CPU time used by the process.",
      samples: [{ value: (user + system) / 1_000_000 }],
    },
    gauge("nodejs_eventloop_lag_p99_seconds", "Event loop lag in the last one to two minutes, 99th percentile.", lag.p99 / 1_000),
    gauge(
      "nodejs_eventloop_lag_max_seconds",
      "Event loop lag in the last one to two minutes, longest; nobody gets an answer meanwhile.",
      lag.longest / 1_000,
    ),
  ];
}

function gauge(name: string, help: string, value: number, labels: Record<string, string> = {}): Metric {
  return { name, type: "gauge", help, samples: [{ labels, value }] };
}
