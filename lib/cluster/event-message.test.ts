import { expect, test } from "vitest";
import { eventMessage } from "./event-message.ts";

test("a message that fits stays as it is", () => {
  const message = "é".repeat(512);
  expect(eventMessage(message)).toBe(message);
});

test.each(["a", "é", "€", "😀"])("a longer one of %s is cut to what an Event holds, between two characters", (character) => {
  const cut = eventMessage(character.repeat(1_100));
  expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_024);
  expect(Buffer.byteLength(cut)).toBeGreaterThan(1_018);
  expect(cut).toMatch(new RegExp(`^(${character})+…$`, "u"));
});
