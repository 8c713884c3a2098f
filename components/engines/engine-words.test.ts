import { expect, test } from "vitest";
import { undelegatedWords } from "./engine-words.ts";

const served = { status: "served", version: "v1" } as const;

// Without delegationRefusal (engine-words.ts) the dialog offers an engine that the start refuses.
test("the cluster's own engine is offered only if it is served and would write at the storage version", () => {
  expect(undelegatedWords(served, { preferredVersion: "v1", storageVersion: "v1" })).toBeNull();
  expect(undelegatedWords(served, { preferredVersion: "v2", storageVersion: "v1" })).toContain("would write each object as v2");
  expect(undelegatedWords({ status: "not-served" }, { preferredVersion: "v2", storageVersion: "v1" })).toContain("doesn't serve");
});
