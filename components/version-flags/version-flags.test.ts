import { expect, test } from "vitest";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import { flagsOf, sourceLines } from "./version-flags.ts";

const v1: CrdVersion = {
  ...{ name: "v1", served: true, storage: false, deprecated: false },
  ...{ deprecationWarning: null, customWarning: null, priorityReason: "" },
};
const v1beta1: CrdVersion = { ...v1, name: "v1beta1", storage: true, deprecated: true, customWarning: 'it "goes"' };
const lines = (changes: Partial<ReturnType<typeof flagsOf>>) =>
  sourceLines([v1, v1beta1], "v1", { ...flagsOf(v1), ...changes }).split("\n");
const entry = (served: boolean, storage: boolean) => [
  "spec:",
  "  versions:",
  "  - name: v1",
  `    served: ${served}`,
  `    storage: ${storage}`,
];

test("a change to one version gives its entry", () => {
  expect(lines({ served: false })).toEqual(entry(false, false));
  expect(lines({ deprecated: true })).toEqual([...entry(true, false), "    deprecated: true"]);
});

test("a flip gives two entries, because only one version is the storage version", () => {
  expect(lines({ storage: true })).toEqual([
    ...entry(true, true),
    ...["  - name: v1beta1", "    served: true", "    storage: false", "    deprecated: true"],
    '    deprecationWarning: "it \\"goes\\""',
  ]);
});
