import { expect, it, test } from "vitest";
import { lineDiff, linesAtPath, rowsAtPath } from "./object-lines.ts";

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

const object = {
  metadata: { labels: { "example.com/team": "a: {" } },
  spec: { drain: "90s", nested: { deep: [1, { er: true }] }, list: [{ a: 1, b: 2 }, { b: 3 }], empty: {}, last: null },
};
const text = JSON.stringify(object, null, 2);
const at = (path: string) => {
  const lines = text.split("\n");
  return [...linesAtPath(text, path)].map((line) => lines[line]?.trim());
};

test.each<[string, string[]]>([
  ["spec.drain", ['"drain": "90s",']],
  ['metadata.labels["example.com/team"]', ['"example.com/team": "a: {"']],
  ["spec.nested", ['"nested": {', '"deep": [', "1,", "{", '"er": true', "}", "]", "},"]],
  ["spec.nested.deep[*].er", ['"er": true']],
  ["spec.list[*].b", ['"b": 2', '"b": 3']],
  ["spec.list[*]", ["{", '"a": 1,', '"b": 2', "},", "{", '"b": 3', "}"]],
  ["spec.empty", ['"empty": {},']],
  ["spec.last", ['"last": null']],
  ["spec.gone", []],
  ["drain", []],
  ["", []],
])("the lines at %j", (path, expected) => {
  expect(at(path)).toEqual(expected);
});

test("a row of a diff is at the path if either of its sides is", () => {
  const [left, right] = [
    JSON.stringify({ a: 1, gone: { x: 1 }, spelled: "90s" }, null, 2),
    JSON.stringify({ a: 1, added: 2, spelled: "1m30s" }, null, 2),
  ];
  const { rows } = lineDiff(left, right) ?? expect.fail("no diff");
  const found = (path: string) => [...rowsAtPath(rows, left, right, path)].map((row) => [rows[row]?.left, rows[row]?.right]);
  expect(found("a")).toEqual([['  "a": 1,', '  "a": 1,']]);
  expect(found("spelled").flat()).toEqual(expect.arrayContaining(['  "spelled": "90s"', '  "spelled": "1m30s"']));
  expect(found("gone").flat()).toEqual(expect.arrayContaining(['  "gone": {', '    "x": 1', "  },"]));
  expect(found("added").flat()).toContain('  "added": 2,');
});
