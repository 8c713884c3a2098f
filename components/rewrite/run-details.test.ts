import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ReportCourse } from "#components/report/report-course.tsx";
import { reportOf } from "#lib/domain/audit/report.ts";
import { sampleCrd, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { DelegationSection } from "./run-details.tsx";

const delegation = {
  ...{ migration: "crdshift-x", phase: null, message: "", left: null },
  ...{ startedAt: null, endedAt: null, storedVersionsBefore: ["v1"], putBack: [] },
};
const context = { madeAt: "2026-01-02T12:10:00.000Z", madeWith: "0.1.0", cluster: { context: "dev", server: "https://a", version: null } };

// Without knownMigration (run-details.tsx, report-course.tsx) they say that none is running, and that it was not created.
test("a migration that may have been created is told as unknown on the page of its run and in the report", () => {
  const run = sampleRun({ phase: "interrupted", settledAt: "2026-01-02T11:59:30.000Z", delegation });
  const report = reportOf(sampleCrd(), sampleRecord({ runs: [run] }), run, context, Date.parse(run.renewedAt));
  expect(renderToStaticMarkup(createElement(DelegationSection, { cluster: "dev", run }))).toContain("unknown: it may have been created");
  expect(renderToStaticMarkup(createElement(ReportCourse, { report }))).toContain("crdshift-x: unknown: it may have been created");
});
