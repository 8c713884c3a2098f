import { expect, test } from "vitest";
import { eventMessage } from "./events.ts";

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

test("what turns the direction of text is shown as what it is not, and letters written from right to left stay", () => {
  const turning = [0x061c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069].map((code) => String.fromCharCode(code));
  expect(eventMessage(turning.map((character) => `${character}evil`).join(" "))).toBe(turning.map(() => "\uFFFDevil").join(" "));
  const letters = "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627\u060c";
  expect(eventMessage(letters)).toBe(letters);
});
