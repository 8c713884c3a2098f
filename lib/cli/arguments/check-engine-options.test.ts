import { expect, test } from "vitest";
import { checkEngineOptions } from "./check-engine-options.ts";

test("what the cluster's own engine does not have is refused by the options' names", () => {
  expect(() => checkEngineOptions({ engine: "in-tree", maxPerSecond: 5, keepOwnership: true, throughStatus: true }, "crdshift")).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: expect.stringMatching(/^--max-per-second, --keep-ownership, --through-status can't be given with --engine in-tree/),
    }),
  );
});

test.each([
  { engine: "in-tree", acceptLosses: true, verify: "every-object", keepOwnership: false },
  { engine: "crdshift", maxPerSecond: 5 },
  { throughStatus: true },
] as const)("%j is no such thing", (options) => {
  expect(() => checkEngineOptions(options, "crdshift")).not.toThrow();
});
