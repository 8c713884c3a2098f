import { expect, test } from "vitest";
import { stepLook } from "./step-look.ts";

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
