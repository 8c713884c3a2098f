import { expect, test } from "vitest";
import { withReason } from "./given-reason.ts";

const reason = (text: string) => ({ text, by: "alice", at: "2026-01-02T12:00:00.000Z" });

test("of many reasons the first and the newest are kept", () => {
  const texts = ["upgrade", "after the night", "after the week"]
    .map(reason)
    .reduce(withReason, [])
    .map(({ text }) => text);
  expect(texts).toEqual(["upgrade", "after the week"]);
});
