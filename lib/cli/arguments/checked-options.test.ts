import { expect, test } from "vitest";
import { startDryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { startRewriteSchema } from "#lib/contract/rewrite/run.ts";
import { checkEngineOptions, checkedOptions } from "./checked-options.ts";

test("builds the HTTP API's body and leaves out options that the API does not have", () => {
  const options = {
    "max-per-second": "5",
    "accept-losses": true,
    "accept-unseen": true,
    "keep-ownership": true,
    verify: "every-object",
    resume: true,
  };
  expect(checkedOptions({ command: "rewrite", options }, startRewriteSchema, "crdshift")).toEqual({
    ...{ maxPerSecond: 5, acceptLosses: true, acceptUnseen: true, keepOwnership: true, verify: "every-object" },
  });
  expect(checkedOptions({ command: "rewrite", options: {} }, startRewriteSchema, "crdshift")).toEqual({});
});

test.each([
  [{ "max-per-second": "0" }, /--max-per-second 0 /],
  [{ "max-per-second": "fast" }, /--max-per-second fast /],
  [{ "max-per-second": "" }, /--max-per-second /],
  [{ engine: "other" }, /--engine other /],
  [{ verify: "nothing" }, /--verify nothing /],
])("refuses %j and names the option", (options, message) => {
  expect(() => checkedOptions({ command: "rewrite", options }, startRewriteSchema, "crdshift")).toThrow(message);
});

test("parses numbers and refuses a fraction of an object", () => {
  const read = (size: string) => checkedOptions({ command: "dry-run", options: { "sample-size": size } }, startDryRunSchema, "crdshift");
  expect(read("500")).toEqual({ sampleSize: 500 });
  expect(() => read("1.5")).toThrow(/--sample-size 1\.5 /);
});

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
