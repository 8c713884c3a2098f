import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { progressLine } from "./progress-line.ts";

const now = Date.parse("2026-01-02T12:00:00.000Z");
const line = (run: Parameters<typeof sampleRun>[0], width = 80, paint = (text: string) => text) =>
  progressLine({ event: "run", data: sampleRun(run) }, { width, now, paint });

test("shows a bar in proportion to progress, the rate and the time left", () => {
  expect(line({})).toBe(`rewriting ${"━".repeat(10)}${"─".repeat(16)}  40%  40/100  20/s  3 s left`);
});

test("colours only the completed part", () => {
  expect(line({}, 80, (text) => `<${text}>`)).toContain(`rewriting <${"━".repeat(10)}>──`);
});

test("counts down while settling, with the reason", () => {
  const settling = { phase: "settling", settlesAt: "2026-01-02T12:00:23.400Z", statusReason: "The spec changed." } as const;
  expect(line(settling)).toBe("settling  24 s left  The spec changed.");
});

test("shows no bar while the total is unknown", () => {
  const counts = { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null };
  expect(line({ counts, ratePerSecond: null, etaSeconds: null })).toBe("rewriting");
});

test.each([20, 40, 80, 200])("is never wider than %s columns", (width) => {
  const text = line({ statusReason: `wait\n\u001b[2J ${"because ".repeat(50)}`, command: "cancel" }, width);
  expect(text.length).toBeLessThanOrEqual(width);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u001f]/);
  expect(text).toMatch(/^cancelling/);
});

test("shows how many objects a dry run has tried", () => {
  const data = { phase: "running", dryRun: { planned: 200, checked: 100 }, message: null };
  // The line uses no other fields.
  const event = { event: "dry-run", data } as unknown as Parameters<typeof progressLine>[0];
  expect(progressLine(event, { width: 60, now, paint: (text) => text })).toBe(
    `dry run ${"━".repeat(10)}${"─".repeat(10)}  50%  100/200 tried`,
  );
});
