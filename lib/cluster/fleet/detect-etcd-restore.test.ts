import { expect, test } from "vitest";
import { detectEtcdRestore } from "./detect-etcd-restore.ts";

const one = (resourceVersion: string) => new Map([["widgets", { resourceVersion }]]);

test.each([
  ["the first list", "950", one("940"), { heard: "", seen: new Map() }, null],
  ["a list of what is known", "1400", one("940"), { heard: "1400", seen: one("940") }, null],
  ["a later list", "1500", one("1450"), { heard: "1400", seen: one("940") }, null],
  ["a list below what was heard", "950", one("940"), { heard: "1400", seen: one("1390") }, { to: "950", from: "1400" }],
  ["a list below what this process wrote", "1400", one("940"), { heard: "1390", seen: one("1410") }, { to: "1400", from: "1410" }],
  ["a restore with --bump-revision", "1000001400", one("940"), { heard: "1400", seen: one("980") }, { to: "940", from: "1400" }],
])("%s", (_, listedAt, listed, before, undone) => {
  expect(detectEtcdRestore(listedAt, listed, before)).toEqual(undone);
});
