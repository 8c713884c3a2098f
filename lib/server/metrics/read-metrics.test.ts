import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { apiRequests, countError, countRequest } from "#lib/cluster/transport/api-requests.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { eventStream } from "#lib/http/event-stream.ts";
import { watchEventLoop } from "#lib/process-wide/event-loop-delay.ts";
import { outcomesHere } from "#lib/rewrite/run/progress/outcomes-here.ts";
import { metricsText } from "./metrics-text.ts";
import { readMetrics } from "./read-metrics.ts";

const text = () => metricsText(readMetrics());

test("before anything has happened, all metrics with fixed labels are 0", () => {
  for (const phase of ["settling", "rewriting", "verifying", "paused"]) expect(text()).toContain(`crdshift_runs{phase="${phase}"} 0\n`);
  for (const outcome of ["rewritten", "already_current", "gone", "rejected"]) {
    expect(text()).toContain(`crdshift_objects_total{outcome="${outcome}"} 0\n`);
  }
  for (const name of ["rewrite_objects_per_second", "watch_age_seconds", "event_stream_clients"]) {
    expect(text()).toContain(`crdshift_${name} 0\n`);
  }
});

test("the metrics show what was counted", async () => {
  apiRequests().byMethod.clear();
  await countRequest("PATCH", new AbortController().signal, async () => ({ statusCode: 409 }));
  await countRequest("PATCH", new AbortController().signal, () => Promise.reject(new Error("reset"))).catch(() => {});
  countError(new AppError("conflict", "No."));
  outcomesHere().alreadyCurrent += 7;
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const asked = () => new Request("http://localhost/api/events", { signal: leaving.signal });
  for (let turn = 0; turn < 2; turn++)
    eventStream(
      asked(),
      { person: "alice", isShared: false },
      async () => true,
      () => () => {},
    );
  const told = text();
  for (const line of [
    'crdshift_api_requests_total{method="PATCH",code="409"} 1',
    'crdshift_api_requests_total{method="PATCH",code="none"} 1',
    'crdshift_api_request_duration_seconds_bucket{method="PATCH",le="30"} 2',
    'crdshift_api_request_duration_seconds_count{method="PATCH"} 2',
    'crdshift_api_errors_total{reason="conflict"} 1',
    'crdshift_objects_total{outcome="already_current"} 7',
    "crdshift_event_stream_clients 2",
  ]) {
    expect(told).toContain(`${line}\n`);
  }
});

test("the metrics include the process's resources and crdshift's version", () => {
  const value = (name: string) => readMetrics().find((metric) => metric.name === name)?.samples[0]?.value ?? Number.NaN;
  expect(value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(value("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(value("process_start_time_seconds")).toBeLessThanOrEqual(Date.now() / 1_000);
  expect(value("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
  expect(value("nodejs_eventloop_lag_max_seconds")).toBeGreaterThanOrEqual(0);
  expect(text()).toMatch(/crdshift_build_info\{version="\d+\.\d+\.\d+"\} 1\n/);
});

// Where reading resets it, whoever can reach the port keeps Prometheus from seeing a delay.
test("the longest delay of the event loop is shown to each reader, and the percentile doesn't hide it", async () => {
  watchEventLoop();
  const longest = () => readMetrics().find(({ name }) => name === "nodejs_eventloop_lag_max_seconds")?.samples[0]?.value ?? Number.NaN;
  // A delay is measured from one wake-up to the next, so there must be one before and one after.
  await setTimeout(100);
  const until = performance.now() + 300;
  while (performance.now() < until);
  await setTimeout(100);
  expect(longest()).toBeGreaterThan(0.25);
  expect(longest()).toBeGreaterThan(0.25);
});
