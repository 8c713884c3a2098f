import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { reportOf } from "#lib/domain/audit/report.ts";
import { sampleCrd, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { ReportPatches } from "./report-patches.tsx";

const context = { madeAt: "2026-01-02T12:10:00.000Z", madeWith: "0.1.0", cluster: { context: "dev", server: "https://a", version: null } };

// Without `tested` (report-patches.tsx) a report says that a webhook converts, although it may have been dropped, or was never there.
test.each([
  [true, "or, while a webhook converted, ", "While a webhook converted, patches tested"],
  [null, "or, if a webhook converted then, ", "If a webhook converted then, patches tested"],
  [false, null, null],
])("the patches of a run whose patches were tested: %s", (tested, or, aside) => {
  const sent = { rewrite: 40, verify: 0, status: 0, ownership: 0, dryRun: 0, atLeast: false, tested };
  const run = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", sent });
  const report = reportOf(sampleCrd(), sampleRecord({ runs: [run] }), run, context, Date.parse(run.renewedAt));
  const shown = renderToStaticMarkup(createElement(ReportPatches, { report }));
  for (const words of [or, aside]) expect(words === null || shown.includes(words), words ?? "").toBe(true);
  expect(shown.includes("application/json-patch+json")).toBe(tested !== false);
});
