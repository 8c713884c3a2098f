import { describe, expect, test } from "vitest";
import { convertCronTab, convertReportTask, type ReportTask } from "./conversion-webhook.ts";

describe("a cron tab", () => {
  const v1beta1 = "stable.example.com/v1beta1";
  const v1 = "stable.example.com/v1";

  test("has its hostPort split into host and port at v1, and keeps all other fields", () => {
    const old = { apiVersion: v1beta1, metadata: { name: "a" }, spec: { replicas: 2, hostPort: "example.com:8080" } };
    expect(convertCronTab(old, v1)).toEqual({
      apiVersion: v1,
      metadata: { name: "a" },
      spec: { replicas: 2, host: "example.com", port: "8080" },
    });
  });

  test.each(["example.com:8080", "[::1]:443", "example.com", ":80", ""])("has the same hostPort %j after v1 and back", (hostPort) => {
    const old = { apiVersion: v1beta1, spec: { hostPort } };
    expect(convertCronTab(convertCronTab(old, v1), v1beta1)).toEqual(old);
  });

  test.each([{ apiVersion: v1 }, { apiVersion: v1, spec: {} }, { apiVersion: v1, spec: { host: "h", port: "1" } }])(
    "is unchanged after v1beta1 and back: %j",
    (cronTab) => {
      expect(convertCronTab(convertCronTab(cronTab, v1beta1), v1)).toEqual(cronTab);
    },
  );
});

describe("a report task", () => {
  const v1beta1 = "analytics.example.com/v1beta1";
  const v1 = "analytics.example.com/v1";
  const task = (apiVersion: string, spec?: NonNullable<ReportTask["spec"]>): ReportTask => ({
    apiVersion,
    kind: "ReportTask",
    ...(spec && { spec }),
  });

  test("has its schedule as minutes at v1, and keeps all other fields", () => {
    const old = task(v1beta1, { report: "usage", schedule: "every 15 minutes" });
    expect(convertReportTask(old, v1)).toEqual(task(v1, { report: "usage", intervalMinutes: 15 }));
  });

  test.each([task(v1beta1), task(v1beta1, {}), task(v1beta1, { schedule: "every 90 minutes" })])(
    "is unchanged after v1 and back: %j",
    (old) => {
      expect(convertReportTask(convertReportTask(old, v1), v1beta1)).toEqual(old);
    },
  );

  test("with a schedule that can't be parsed can't be converted", () => {
    const broken = task(v1beta1, { schedule: "every 5th" });
    expect(() => convertReportTask(broken, v1)).toThrow(`spec.schedule "every 5th" can't be parsed`);
    expect(convertReportTask(broken, v1beta1)).toEqual(broken);
  });
});
