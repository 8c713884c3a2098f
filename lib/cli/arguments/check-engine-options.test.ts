import { expect, test } from "vitest";
import { checkEngineOptions } from "./check-engine-options.ts";

test("refuses options that the cluster's own engine does not support, by name", () => {
  expect(() => checkEngineOptions({ engine: "in-tree", maxPerSecond: 5, keepOwnership: true, throughStatus: true }, "crdshift")).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringMatching(/^--max-per-second, --keep-ownership, --through-status can't be used with --engine in-tree/),
    }),
  );
});

test.each([
  { engine: "in-tree", acceptLosses: true, verify: "every-object", keepOwnership: false },
  { engine: "crdshift", maxPerSecond: 5 },
  { throughStatus: true },
] as const)("accepts %j", (options) => {
  expect(() => checkEngineOptions(options, "crdshift")).not.toThrow();
});
