import { expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

const rowsOf = (left: object, right: object) =>
  lineDiff(JSON.stringify(left, null, 2), JSON.stringify(right, null, 2))?.rows.map(
    (row) => `${row.differs ? "≠" : "="} ${row.left?.trim() ?? ""} | ${row.right?.trim() ?? ""}`,
  );

it("pairs lines that differ, and leaves a gap if one side has none", () => {
  expect(rowsOf({ kind: "A", host: "a", port: 1 }, { kind: "A", hostPort: "a:1", z: 1 })).toEqual([
    "= { | {",
    '= "kind": "A", | "kind": "A",',
    '≠ "host": "a", | "hostPort": "a:1",',
    '≠ "port": 1 | "z": 1',
    "= } | }",
  ]);
  expect(rowsOf({ a: 1, b: 2, c: 3 }, { a: 1, c: 3 })).toContain('≠ "b": 2, | ');
});

it("counts the lines of each side, and ignores commas", () => {
  expect(lineDiff('{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}')).toMatchObject({ onlyLeft: 0, onlyRight: 1 });
  expect(lineDiff("same", "same")).toEqual({ rows: [{ left: "same", right: "same", differs: false }], onlyLeft: 0, onlyRight: 0 });
});

it("gives up on texts that are too long", () => {
  expect(lineDiff("x".repeat(1_000_000), "x")).toBeNull();
  expect(lineDiff("x\n".repeat(10_000), "x")).toBeNull();
});
