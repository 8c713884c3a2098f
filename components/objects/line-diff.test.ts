import { expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

const rowsOf = (left: object, right: object) =>
  lineDiff(JSON.stringify(left, null, 2), JSON.stringify(right, null, 2))?.rows.map(
    (row) => `${row.differs ? "≠" : "="} ${row.left?.trim() ?? ""} | ${row.right?.trim() ?? ""}`,
  );

it("puts lines that differ beside each other, and leaves a gap where one side has none", () => {
  expect(rowsOf({ kind: "A", host: "a", port: 1 }, { kind: "A", hostPort: "a:1", z: 1 })).toEqual([
    "= { | {",
    '= "kind": "A", | "kind": "A",',
    '≠ "host": "a", | "hostPort": "a:1",',
    '≠ "port": 1 | "z": 1',
    "= } | }",
  ]);
  expect(rowsOf({ a: 1, b: 2, c: 3 }, { a: 1, c: 3 })).toContain('≠ "b": 2, | ');
});

it("counts the lines of each side, and takes no comma for a difference", () => {
  expect(lineDiff('{\n  "a": 1\n}', '{\n  "a": 1,\n  "b": 2\n}')).toMatchObject({ onlyLeft: 0, onlyRight: 1 });
  expect(lineDiff("same", "same")).toEqual({ rows: [{ left: "same", right: "same", differs: false }], onlyLeft: 0, onlyRight: 0 });
});

it("gives up on what is too long", () => {
  expect(lineDiff("x".repeat(1_000_000), "x")).toBeNull();
  expect(lineDiff("x\n".repeat(10_000), "x")).toBeNull();
});
