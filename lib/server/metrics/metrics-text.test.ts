import { expect, test } from "vitest";
import { metricSample } from "#lib/cluster/transport/metric-sample.ts";
import { histogramSamples, metricsText } from "./metrics-text.ts";

test("a metric is written as help, type and one line for each value", () => {
  const samples = [{ labels: { method: "GET", code: "200" }, value: 3 }, { value: 0.25 }];
  expect(metricsText([{ name: "requests_total", type: "counter", help: "How\nmany \\ requests.", samples }])).toBe(
    '# HELP requests_total How\\nmany \\\\ requests.\n# TYPE requests_total counter\nrequests_total{method="GET",code="200"} 3\nrequests_total 0.25\n',
  );
});

test("special characters in labels are escaped", () => {
  const odd = 'a"b\\c\nd';
  const text = metricsText([{ name: "odd", type: "gauge", help: "", samples: [{ labels: { odd }, value: 1 }] }]);
  expect(metricSample(text.trim().split("\n").at(-1) ?? "", ["odd"])?.labels.get("odd")).toBe(odd);
});

test("a histogram's buckets count all values up to their bound", () => {
  const samples = histogramSamples([0.1, 1], [2, 3, 4], 12.5, { method: "GET" });
  expect(metricsText([{ name: "seconds", type: "histogram", help: "h", samples }])).toBe(
    [
      "# HELP seconds h",
      "# TYPE seconds histogram",
      'seconds_bucket{method="GET",le="0.1"} 2',
      'seconds_bucket{method="GET",le="1"} 5',
      'seconds_bucket{method="GET",le="+Inf"} 9',
      'seconds_sum{method="GET"} 12.5',
      'seconds_count{method="GET"} 9',
      "",
    ].join("\n"),
  );
});
