import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ReportWarnings } from "./report.tsx";

test("a report shows each warning, and no box without one", () => {
  const shown = (warnings: string[]) => renderToStaticMarkup(createElement(ReportWarnings, { warnings }));
  expect(shown(["Up to 3 objects may have lost fields.", "Another."])).toMatch(
    /Warnings.*Up to 3 objects may have lost fields\..*Another\./,
  );
  expect(shown([])).toBe("");
});
