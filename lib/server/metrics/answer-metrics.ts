import type { ServerResponse } from "node:http";
import { METRICS_TYPE, metricsText } from "./metrics-text.ts";
import { readMetrics } from "./read-metrics.ts";

/** The answer to GET /metrics. */
export function answerMetrics(response: ServerResponse): void {
  response.writeHead(200, { "content-type": METRICS_TYPE, "cache-control": "no-store" });
  response.end(metricsText(readMetrics()));
}
