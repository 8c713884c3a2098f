import { expect, test } from "vitest";
import { delegationRefusal } from "./delegation-refusal.ts";

const plain = { conversion: "None", unseen: false } as const;

test.each([
  ["v1", "v1"],
  // Nothing can be rewritten then, which is refused elsewhere.
  [null, "v1"],
  ["v1", null],
])("the cluster's own engine may rewrite if discovery prefers %s and %s is stored", (preferred, storage) =>
  expect(delegationRefusal({ preferred, storage, ...plain })).toBeNull(),
);

test("it may not if discovery prefers another version, which the refusal names", () => {
  const { message, nextStep } = delegationRefusal({ preferred: "v2", storage: "v1", ...plain }) ?? {};
  expect(message).toContain("as v2, which discovery prefers, and drop fields that only the storage version v1 has");
  expect(nextStep).toContain("crdshift's own engine");
});

test("it may not if a webhook converts the objects, unless losses are accepted unseen", () => {
  const converted = { preferred: "v1", storage: "v1", conversion: "Webhook" } as const;
  expect(delegationRefusal({ ...converted, unseen: false })?.message).toContain("would write from that");
  expect(delegationRefusal({ ...converted, unseen: true })).toBeNull();
});
