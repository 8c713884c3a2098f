import { expect, onTestFinished, test, vi } from "vitest";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { eventMessage, listEvents } from "./events.ts";

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

// Comparing them by the rules of a language took most of the time that thousands of Events take.
test("Events of one millisecond are in the order of their microseconds, which is that of their text", async () => {
  const times = ["000001", "000003", "000002", "001000"].map((digits) => `2026-01-02T12:00:00.${digits}Z`);
  const items = times.map((eventTime) => ({ metadata: { creationTimestamp: eventTime }, eventTime, reason: "Paused", message: eventTime }));
  const connection = await connectionTo("events", (_, response) => response.end(JSON.stringify({ metadata: {}, items })));
  const compared = vi.spyOn(String.prototype, "localeCompare");
  onTestFinished(() => compared.mockRestore());
  const { facts } = await listEvents(connection, sampleCrd(), { most: 100, withinMs: 10_000, signal: AbortSignal.timeout(10_000) });
  expect(facts.map(({ message }) => message)).toEqual(times.toSorted().reverse());
  expect(compared).not.toHaveBeenCalled();
});

// Without a limit for all Events together, those of one history take 50 MB.
test("Events that name ever so many versions are told, without more of these than crdshift's own have", async () => {
  const eventTime = "2026-01-02T12:00:00.000001Z";
  const annotations = { "crdshift.dev/versions": Array.from({ length: 100 }, (_, index) => `v${index}`).join(",") };
  const item = { metadata: { creationTimestamp: eventTime, annotations }, eventTime, reason: "Pruned", message: "Pruned." };
  const items = Array.from({ length: 100 }, () => item);
  const connection = await connectionTo("events", (_, response) => response.end(JSON.stringify({ metadata: {}, items })));
  const { facts } = await listEvents(connection, sampleCrd(), { most: 100, withinMs: 10_000, signal: AbortSignal.timeout(10_000) });
  expect(facts).toHaveLength(100);
  expect(facts.reduce((sum, { versions }) => sum + (versions?.length ?? 0), 0)).toBe(5_000);
});
