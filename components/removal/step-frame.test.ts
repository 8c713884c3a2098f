import { expect, test } from "vitest";
import { sampleVersion } from "#lib/domain/definition/sample-crd.ts";
import { versionChangeSentence } from "#lib/domain/versions/version-change-effects.ts";
import { doneEntry, stepLook } from "./step-frame.tsx";

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

const wordOf = (state: "ready" | "refused" | "done", isCurrent: boolean, heldBy: "rights" | "read-only" | null) =>
  stepLook({ state, refusal: null }, { isCurrent, heldBy }).word;

test("a step that is ready says so to who may take it", () => {
  expect([wordOf("ready", true, null), wordOf("ready", false, null)]).toEqual(["now", "can be done"]);
});

test.each([true, false])("and to others that it is they who may not", (isCurrent) => {
  expect(wordOf("ready", isCurrent, "rights")).toBe("ready, but you may not");
  expect(wordOf("ready", isCurrent, "read-only")).toBe("ready, but nothing can be changed here");
});

test("what is done or refused is so for everybody", () => {
  for (const heldBy of [null, "rights", "read-only"] as const) {
    expect([wordOf("done", false, heldBy), wordOf("refused", true, heldBy)]).toEqual(["done", "not safe yet"]);
  }
});
