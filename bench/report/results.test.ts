import { expect, test } from "vitest";
import { sectionText, withSection } from "./results.ts";

const machine = { hardware: "two cores", kubernetes: "1.36.3", versions: "crdshift abc" };
const section = (part: "engines" | "growth" | "fleet", value: number) =>
  sectionText(
    { part, title: "some", lines: ["| a |"], checks: [{ name: "speed", value, relation: ">=", bound: 2 }] },
    machine,
    "2026-01-02T03:04:05Z",
  );

test("a section says when and on which machine it was measured, and which checks failed", () => {
  expect(section("engines", 1)).toBe(
    "## Engines: some\n\nMeasured 2026-01-02 03:04 UTC on two cores; crdshift abc.\n\n| a |\n\n- FAILED: speed: 1.00 (>= 2.0)\n",
  );
  expect(section("engines", 2)).toContain("- ok: speed: 2.00 (>= 2.0)");
  expect(section("engines", Number.NaN)).toContain("- FAILED: speed: NaN");
});

test("a new section replaces only the old section of its part, and the parts keep their order", () => {
  const fleetOnly = withSection("", "fleet", section("fleet", 1));
  const both = withSection(fleetOnly, "engines", section("engines", 1));
  const again = withSection(both, "fleet", section("fleet", 3));
  expect(again.match(/^#.*$/gm)).toEqual(["# What the bench measured", "## Engines: some", "## Fleet: some"]);
  expect(again.match(/speed: .*$/gm)).toEqual(["speed: 1.00 (>= 2.0)", "speed: 3.00 (>= 2.0)"]);
  expect(withSection(again, "fleet", section("fleet", 3))).toBe(again);
});
