import { expect, test } from "vitest";
import { delegationRefusal } from "./delegation-refusal.ts";

test.each([
  ["v1", "v1"],
  // Nothing can be rewritten then, which is refused elsewhere.
  [null, "v1"],
  ["v1", null],
])("the cluster's own engine may rewrite if discovery prefers %s and %s is stored", (preferred, storage) =>
  expect(delegationRefusal({ preferred, storage })).toBeNull(),
);

test("it may not if discovery prefers another version, which the refusal names", () => {
  const { message, nextStep } = delegationRefusal({ preferred: "v2", storage: "v1" }) ?? {};
  expect(message).toContain("as v2, which discovery prefers, and drop fields that only the storage version v1 has");
  expect(nextStep).toContain("crdshift's own engine");
});
