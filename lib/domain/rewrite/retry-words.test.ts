import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { retryWords } from "./retry-words.ts";

const acceptedLosses = {
  by: "alice",
  at: "2026-01-02T11:58:00.000Z",
  unseen: false,
  losses: [],
  more: 0,
  sample: null,
  signature: null,
  dryRun: "dry",
  of: null,
};
const run = (remaining: number | null) =>
  sampleRun({ dryRun: "dry", acceptedLosses, counts: { ...sampleRun().counts, rejected: 3, remaining } });

test("a retry tells what it rewrites besides, after a run that didn't come to every object", () => {
  expect(retryWords(run(9_000), "dry")).toMatch(/the 3 rejected objects\. It also rewrites the 9,000 objects that remain\.$/);
  expect(retryWords(run(1), "dry")).toMatch(/the 1 object that remains\.$/);
  expect(retryWords(run(null), "dry")).toMatch(/the objects that remain\.$/);
});

test("only after a run that did, the others have what its dry run found", () => {
  expect(retryWords(run(0), "dry")).toMatch(/the 3 rejected objects\. The others already have the changes that the dry run found\.$/);
  expect(retryWords(run(0), "later")).toMatch(/the 3 rejected objects\.$/);
  expect(retryWords({ ...run(0), acceptedLosses: null }, "dry", ", through /status")).toMatch(/objects, through \/status\.$/);
});
