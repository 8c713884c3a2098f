import { monitorEventLoopDelay } from "node:perf_hooks";
import { crdshiftVersion } from "#lib/cluster/transport/request.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Metric } from "./metrics-text.ts";

const RESOLUTION_MS = 20;

/** This process's resource usage, with the metric names that Prometheus's own clients use. */
export function processMetrics(): Metric[] {
  const { user, system } = process.cpuUsage();
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
    gauge("nodejs_eventloop_lag_p99_seconds", "Event loop lag since the last scrape, 99th percentile.", eventLoopLag()),
  ];
}

/** Starts to monitor the event loop, which costs fifty wake-ups a second. */
export function watchEventLoop(): void {
  eventLoopDelay();
}

function gauge(name: string, help: string, value: number, labels: Record<string, string> = {}): Metric {
  return { name, type: "gauge", help, samples: [{ labels, value }] };
}

function eventLoopDelay(): ReturnType<typeof monitorEventLoopDelay> {
  return processWide("event-loop-delay", () => {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    return delay;
  });
}

// It measures from one wake-up to the next, so subtract the interval between two of them.
function eventLoopLag(): number {
  const delay = eventLoopDelay();
  const lag = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1_000_000 - RESOLUTION_MS) / 1_000;
  delay.reset();
  return lag;
}
