import { expect, it } from "vitest";
import { linePath, plotPoints } from "./rate-plot.tsx";

it("spans the width, with the greatest value at the top and zero at the bottom", () =>
  expect(linePath(plotPoints([0, 50, 100], 100, 200, 40))).toBe("M0 40L100 20L200 0"));
it("draws zeros at the bottom", () => expect(linePath(plotPoints([0, 0], 0, 200, 40))).toBe("M0 40L200 40"));
it("draws no line without values", () => expect(linePath(plotPoints([], 0, 200, 40))).toBe(""));
