import { expect, test } from "vitest";
import { parseMetricLine } from "./object-totals.ts";

test.each([
  [
    'apiserver_resource_objects{group="stable.example.com",resource="crontabs"} 1500',
    { name: "crontabs.stable.example.com", objects: 1_500 },
  ],
  ['apiserver_resource_objects{resource="widgets",group="example.com"} 0', { name: "widgets.example.com", objects: 0 }],
  ['apiserver_resource_objects{group="example.com",resource="widgets"} 1.2e+06', { name: "widgets.example.com", objects: 1_200_000 }],
])("reads %s", (line, expected) => {
  expect(parseMetricLine(line)).toEqual(expected);
});

test.each([
  ["the API server could not count", 'apiserver_resource_objects{group="example.com",resource="widgets"} -1'],
  ["a resource of the core group, which no definition is", 'apiserver_resource_objects{group="",resource="pods"} 3'],
  ["a comment", "# TYPE apiserver_resource_objects gauge"],
  ["another metric", 'apiserver_storage_objects_total{group="example.com",resource="widgets"} 3'],
])("leaves out what is no count: %s", (_, line) => {
  expect(parseMetricLine(line)).toBeNull();
});
