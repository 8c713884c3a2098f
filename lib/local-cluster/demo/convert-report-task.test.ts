import { expect, test } from "vitest";
import { convertReportTask, type ReportTask } from "./conversion-webhook.ts";

const v1beta1 = "analytics.example.com/v1beta1";
const v1 = "analytics.example.com/v1";
const task = (apiVersion: string, spec?: NonNullable<ReportTask["spec"]>): ReportTask => ({
  apiVersion,
  kind: "ReportTask",
  ...(spec && { spec }),
});

test("makes minutes of a schedule, and leaves the rest alone", () => {
  const old = task(v1beta1, { report: "usage", schedule: "every 15 minutes" });
  expect(convertReportTask(old, v1)).toEqual(task(v1, { report: "usage", intervalMinutes: 15 }));
});

test.each([task(v1beta1), task(v1beta1, {}), task(v1beta1, { schedule: "every 90 minutes" })])("gets %j back unchanged", (old) => {
  expect(convertReportTask(convertReportTask(old, v1), v1beta1)).toEqual(old);
});

test("gives up on a schedule it can't parse", () => {
  const broken = task(v1beta1, { schedule: "every 5th" });
  expect(() => convertReportTask(broken, v1)).toThrow(`spec.schedule "every 5th" can't be parsed`);
  expect(convertReportTask(broken, v1beta1)).toEqual(broken);
});
