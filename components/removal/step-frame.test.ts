import { expect, test } from "vitest";
import { sampleVersion } from "#lib/domain/definition/sample-crd.ts";
import { versionChangeSentence } from "#lib/domain/versions/version-change-effects.ts";
import { doneEntry, stepLook } from "./step-frame.tsx";

const versions = { versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1")] };
const entry = (kind: "changed" | "pruned" | "removed" | "unconverted", message: string) => ({
  ...{ kind, message, at: "2026-01-02T12:00:00.000Z", by: null, run: null, sources: ["event" as const] },
});

test("the newest history entry for a step and its version says who did it", () => {
  const newest = entry("changed", versionChangeSentence(versions, "v1beta1", { served: false }));
  const items = [
    entry("changed", versionChangeSentence(versions, "v1", { deprecated: true })),
    newest,
    entry("changed", versionChangeSentence(versions, "v1beta1", { served: false, deprecated: true })),
    entry("pruned", "Pruned v1alpha1, v1beta1 from status.storedVersions."),
    entry("removed", "v1beta1 was removed from spec.versions."),
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

test("a ready step says so to a user who may take it", () => {
  expect([wordOf("ready", true, null), wordOf("ready", false, null)]).toEqual(["next", "ready"]);
});

test.each([true, false])("a ready step says what keeps other users from it", (isCurrent) => {
  expect(wordOf("ready", isCurrent, "rights")).toBe("ready, but you lack permission");
  expect(wordOf("ready", isCurrent, "read-only")).toBe("ready, but crdshift is read-only");
});

test("done and refused steps look the same to every user", () => {
  for (const heldBy of [null, "rights", "read-only"] as const) {
    expect([wordOf("done", false, heldBy), wordOf("refused", true, heldBy)]).toEqual(["done", "not safe yet"]);
  }
});
