import { expect, test } from "vitest";
import { undelegatedWords } from "./engine-words.ts";

const served = { status: "served", version: "v1" } as const;

// Without delegationRefusal (engine-words.ts) the dialog offers an engine that the start refuses.
test("the cluster's own engine is offered only if it is served and would write at the storage version", () => {
  const crd = { preferredVersion: "v1", storageVersion: "v1", conversion: "None" } as const;
  const seen = { acceptUnseen: false };
  expect(undelegatedWords(served, crd, seen)).toBeNull();
  expect(undelegatedWords({ ...served, status: "incomplete", message: "There are more than 20,000." }, crd, seen)).toBeNull();
  expect(undelegatedWords(served, { ...crd, preferredVersion: "v2" }, seen)).toContain("would write each object as v2");
  expect(undelegatedWords(served, { ...crd, conversion: "Webhook" }, seen)).toContain("would write from that");
  expect(undelegatedWords(served, { ...crd, conversion: "Webhook" }, { acceptUnseen: true })).toBeNull();
  expect(undelegatedWords({ status: "not-served" }, { ...crd, preferredVersion: "v2" }, seen)).toContain("doesn't serve");
});
