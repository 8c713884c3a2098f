import { expect, test } from "vitest";
import { startRewriteSchema } from "./run.ts";

test.each([
  {},
  { engine: "crdshift" },
  { engine: "in-tree" },
  { maxPerSecond: 10 },
  { keepOwnership: true, throughStatus: true },
  { verify: "every-object" },
  { verify: "settle-point", maxPerSecond: null, acceptLosses: true },
  { acceptUnseen: true },
])("accepts %j", (body) => {
  expect(startRewriteSchema.safeParse(body).success).toBe(true);
});

test.each([{ engine: "openshift" }, { maxPerSecond: 1.5 }, { maxPerSecond: 0 }, { verify: "nothing" }, { prune: true }, [], null, "now"])(
  "refuses unsupported input instead of ignoring it: %j",
  (body) => {
    expect(startRewriteSchema.safeParse(body).success).toBe(false);
  },
);
