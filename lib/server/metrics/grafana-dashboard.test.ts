import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readMetrics } from "./read-metrics.ts";

const ofVariable = z.string().regex(/^\$\{datasource\}$/);
const dashboardSchema = z.object({
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string(), definition: z.string().optional() })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string().min(1),
      datasource: z.object({ uid: ofVariable }),
      fieldConfig: z.object({ defaults: z.object({ unit: z.string().min(1) }) }),
      targets: z.array(z.object({ expr: z.string(), datasource: z.object({ uid: ofVariable }) })).min(1),
    }),
  ),
});
const { panels, templating } = dashboardSchema.parse(JSON.parse(await readFile("deploy/grafana/crdshift.json", "utf8")));

/** The series that a query names: before a selector, or as the first argument of label_values. */
const metricsIn = (query: string) =>
  [...query.matchAll(/([a-z]\w*)(?=\{)|label_values\((\w+)/g)].map(([, one, other]) => one ?? other ?? "");

const given = new Map(readMetrics().map(({ name, type }) => [name, type]));
const nameOf = (series: string) => series.replace(/_(bucket|sum|count)$/, (suffix) => (given.has(series) ? suffix : ""));

test("the Grafana dashboard uses every metric, and only existing ones", () => {
  const queries = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.map((one) => one.definition ?? ""),
  ];
  const asked = new Set(queries.flatMap(metricsIn).map(nameOf));
  expect([...asked].filter((name) => !given.has(name))).toEqual([]);
  expect([...given.keys()].filter((name) => !asked.has(name))).toEqual([]);
});

test("the Grafana dashboard takes rates of counters and buckets only", () => {
  for (const { expr } of panels.flatMap(({ targets }) => targets)) {
    const types = metricsIn(expr).map((name) => given.get(nameOf(name)));
    expect(
      types.every((type) => (type === "gauge") !== expr.includes("rate(")),
      expr,
    ).toBe(true);
  }
});

test("the Grafana dashboard's panels have unique ids, and its first variable chooses the data source", () => {
  const ids = panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(templating.list[0]).toMatchObject({ name: "datasource", type: "datasource" });
});
