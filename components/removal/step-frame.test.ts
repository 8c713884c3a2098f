import { describe, expect, test } from "vitest";
import type { ActionKind } from "#lib/domain/audit/action.ts";
import type { RemovalStepName } from "#lib/domain/removal/removal-steps.ts";
import { doneEntry } from "./step-frame.tsx";
import { stepLook } from "./step-words.ts";

const entry = (kind: ActionKind, versions?: string[]) => ({
  ...{ kind, message: "", at: "2026-01-02T12:00:00.000Z", by: null, run: null, sources: ["event" as const] },
  ...(versions && { versions }),
});

describe("who did a step is the newest history entry", () => {
  const [unserved, deprecated, pruned, removed, dropped] = [
    entry("unserved", ["v1beta1"]),
    entry("deprecated", ["v1beta1"]),
    entry("pruned", ["v1alpha1", "v1beta1"]),
    entry("removed", ["v1beta1"]),
    entry("unconverted"),
  ];
  const items = [entry("deprecated", ["v1"]), unserved, deprecated, entry("unserved", ["v1beta1"]), pruned, removed, dropped];
  const of = (step: RemovalStepName, version = "v1beta1", isServed = false) => doneEntry(items, step, { version, isServed });

  test("of the step's kind that names the version", () => {
    expect(of("serving")).toBe(unserved);
    expect(of("storage")).toBe(pruned);
    expect(of("storage", "v1alpha1")).toBe(pruned);
    expect(of("storage", "v1alpha")).toBeNull();
    expect(of("spec")).toBe(removed);
    expect(of("spec", "v1")).toBeNull();
    expect(of("conversion")).toBe(dropped);
  });

  test("that warned the clients, or that left them nothing to warn about", () => {
    expect(of("clients", "v1beta1", true)).toBe(deprecated);
    expect(of("clients", "v1beta1", false)).toBe(unserved);
  });

  // Without undoes (step-frame.tsx) a step that was undone, and done again with kubectl, is told as done by whoever did it first.
  test.each<[step: RemovalStepName, does: ActionKind, undoes: ActionKind]>([
    ["serving", "unserved", "changed"],
    ["serving", "unserved", "deprecated"],
    ["storage", "pruned", "unpruned"],
    ["storage", "pruned", "repaired"],
    ["storage", "pruned", "changed"],
    ["spec", "removed", "readded"],
    ["conversion", "unconverted", "reconverted"],
  ])("unless it was undone since: %s, %s, %s", (step, does, undoes) => {
    const [done, undone] = [entry(does, ["v1beta1"]), entry(undoes, ["v1beta1"])];
    const by = (newestFirst: ReturnType<typeof entry>[]) => doneEntry(newestFirst, step, { version: "v1beta1", isServed: false });
    expect(by([undone, done])).toBeNull();
    expect(by([done, undone, entry(does, ["v1beta1"])])).toBe(done);
    // Those of an earlier crdshift may not say which version.
    expect(by([entry(undoes), done])).toBeNull();
    if (step !== "conversion") expect(by([entry(undoes, ["v1alpha1"]), done])).toBe(done);
  });

  test("whatever its message says", () => {
    const changed = { ...entry("changed", ["v1beta1"]), message: "v1beta1 is no longer served." };
    expect(doneEntry([changed], "serving", { version: "v1beta1", isServed: false })).toBeNull();
  });
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
