import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { metricSample } from "./metric-sample.ts";

const read = (line: string) => {
  const sample = metricSample(line, ["requests_total", "start_seconds"]);
  return sample && [sample.name, Object.fromEntries(sample.labels), sample.value];
};

test.each<[string, [string, Record<string, string>, number]]>([
  ["start_seconds 1.76378161234e+09", ["start_seconds", {}, 1_763_781_612.34]],
  ['requests_total{verb="GET",code="200"} 12', ["requests_total", { verb: "GET", code: "200" }, 12]],
  ['requests_total{verb="GET",} 3 1395066363000', ["requests_total", { verb: "GET" }, 3]],
  ["requests_total{} 0", ["requests_total", {}, 0]],
  // What a client sends in its path may end up in a label.
  [
    String.raw`requests_total{a="} 7",b="\"c=\"",d="\\",e="one\ntwo",f=""} 5`,
    ["requests_total", { a: "} 7", b: '"c="', d: "\\", e: "one\ntwo", f: "" }, 5],
  ],
  [String.raw`requests_total{a="x\\",verb="GET"} 5`, ["requests_total", { a: "x\\", verb: "GET" }, 5]],
])("reads %s", (line, expected) => {
  expect(read(line)).toEqual(expected);
});

test.each([
  ["a comment", "# TYPE requests_total counter"],
  ["another metric", 'other_total{verb="GET"} 12'],
  ["a metric whose name only begins so", 'requests_total_sum{verb="GET"} 12'],
  ["no value", 'requests_total{verb="GET"}'],
  ["braces that stay open", 'requests_total{verb="GET" 12'],
  ["a quote that stays open", 'requests_total{verb="GET\\"} 12'],
  ["an empty line", ""],
])("leaves out %s", (_, line) => {
  expect(read(line)).toBeNull();
});

test("tells a value that is no number as that", () => {
  expect(metricSample("start_seconds NaN", ["start_seconds"])?.value).toBeNaN();
});

test("a long line that ends wrong holds nobody up", async () => {
  const { longest, result } = await whileWatched(async () => read(`requests_total{${'a="\\\\",'.repeat(20_000)}`));
  expect(result).toBeNull();
  expect(longest).toBeLessThan(LONGEST_TURN);
});
