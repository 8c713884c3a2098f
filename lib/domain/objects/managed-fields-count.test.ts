import { expect, test } from "vitest";
import { cleanedCount } from "./managed-fields-count.ts";

test("cleaned versions leave the count", () => {
  const count = { asOf: "2026-01-02T12:00:05.000Z", versions: new Map([["v1alpha1", 9] as const, ["v1", 3] as const]) };
  expect([...cleanedCount(count, ["v1alpha1"]).versions.keys()]).toEqual(["v1"]);
});
