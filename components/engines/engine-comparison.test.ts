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

it("takes a whole measurement", () => expect(readMeasured(whole)).toEqual(whole));
it("takes half of one for none", () => {
  expect(readMeasured({ ...whole, engines: { ...whole.engines, inTree: null } })).toBeNull();
  expect(readMeasured({ ...whole, measuredAt: null })).toBeNull();
});
it("takes a file without one for none", () => expect(readMeasured(null)).toBeNull());
