import { expect, test } from "vitest";
import { detectEtcdRestore } from "./detect-etcd-restore.ts";

const one = (resourceVersion: string, uid = "u") => new Map([["widgets", { uid, resourceVersion }]]);
const others = new Map([["gadgets", { uid: "g", resourceVersion: "930" }]]);

test.each([
  ["the first list", "950", one("940"), { heard: "", seen: new Map() }, null],
  ["a list of what is known", "1400", one("940"), { heard: "1400", seen: one("940") }, null],
  ["a later list", "1500", one("1450"), { heard: "1400", seen: one("940") }, null],
  ["a list below what was heard", "950", one("940"), { heard: "1400", seen: one("1390") }, { to: "950", from: "1400" }],
  ["a list below what this process wrote", "1400", one("940"), { heard: "1390", seen: one("1410") }, { to: "1400", from: "1410" }],
  ["a restore with --bump-revision", "1000001400", one("940"), { heard: "1400", seen: one("980") }, { to: "940", from: "1400" }],
  [
    "a restore with --bump-revision of what was deleted since",
    "1000001400",
    new Map([...one("900"), ...others]),
    { heard: "1500", seen: new Map([...one("1500"), ...others]) },
    { to: "930", from: "1500" },
  ],
  ["another cluster at the address", "950", one("940", "another"), { heard: "1400", seen: one("1390") }, "another-cluster"],
])("%s", (_, listedAt, listed, before, undone) => {
  expect(detectEtcdRestore(listedAt, listed, before)).toEqual(undone);
});
