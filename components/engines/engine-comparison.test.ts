import { expect, it } from "vitest";
import { readMeasured } from "./engine-comparison.tsx";

const speed = { seconds: 40, objectsPerSecond: 500 };
const whole = {
  measuredAt: "2026-01-01T00:00:00Z",
  machine: "2 cores",
  kubernetes: "1.36.3",
  objects: 20_000,
  engines: { crdshift: speed, inTree: speed, kubectlReplace: speed, bareLoop: speed },
};

it("reads a complete measurement", () => expect(readMeasured(whole)).toEqual(whole));
it("ignores an incomplete measurement", () => {
  expect(readMeasured({ ...whole, engines: { ...whole.engines, inTree: null } })).toBeNull();
  expect(readMeasured({ ...whole, measuredAt: null })).toBeNull();
});
it("ignores a file without a measurement", () => expect(readMeasured(null)).toBeNull());
