import { expect, test } from "vitest";
import { sampleVersion } from "#lib/domain/sample-crd.ts";
import { versionChangeSentence } from "#lib/domain/version-change-sentence.ts";
import { doneEntry } from "./done-entry.ts";

const versions = { versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1")] };
const entry = (kind: "changed" | "pruned" | "removed" | "unconverted", message: string) => ({
  ...{ kind, message, at: "2026-01-02T12:00:00.000Z", by: null, run: null, sources: ["event" as const] },
});

test("a step was done by the newest entry that tells of it, and of that version", () => {
  const newest = entry("changed", versionChangeSentence(versions, "v1beta1", { served: false }));
  const items = [
    entry("changed", versionChangeSentence(versions, "v1", { deprecated: true })),
    newest,
    entry("changed", versionChangeSentence(versions, "v1beta1", { served: false, deprecated: true })),
    entry("pruned", "v1alpha1, v1beta1 was taken out of status.storedVersions."),
    entry("removed", "v1beta1 was taken out of spec.versions."),
    entry("unconverted", "The conversion webhook at https://127.0.0.1 was dropped."),
  ];
  expect(doneEntry(items, "serving", "v1beta1")).toBe(newest);
  expect(doneEntry(items, "clients", "v1beta1")).toBe(items[2]);
  expect(doneEntry(items, "storage", "v1alpha1")).toBe(items[3]);
  expect(doneEntry(items, "storage", "v1beta")).toBeNull();
  expect(doneEntry(items, "spec", "v1beta1")).toBe(items[4]);
  expect(doneEntry(items, "spec", "v1")).toBeNull();
  expect(doneEntry(items, "conversion", "v1beta1")).toBe(items[5]);
});
