import { expect, test } from "vitest";
import { deletedState } from "#lib/domain/definition/is-older-state.ts";
import { detectEtcdRestore } from "./detect-etcd-restore.ts";

const one = (resourceVersion: string, uid = "u", generation = 1) => new Map([["widgets", { uid, resourceVersion, generation }]]);
const others = new Map([["gadgets", { uid: "g", resourceVersion: "930", generation: 1 }]]);
const deleted = new Map([["widgets", deletedState({ uid: "u" }, "1500")]]);

test.each([
  ["the first list", "950", one("940"), { heard: "", states: new Map() }, null],
  ["a list of what is known", "1400", one("940"), { heard: "1400", states: one("940") }, null],
  ["a later list", "1500", one("1450"), { heard: "1400", states: one("940") }, null],
  ["a list below what was heard", "950", one("940"), { heard: "1400", states: one("1390") }, { to: "0", from: "1400" }],
  // The list alone would say 1250, though what was backed up at 950 has an end of a doubt at 1101 undone.
  [
    "one of which nothing surely was there at the backup",
    "1250",
    one("1201"),
    { heard: "1400", states: one("1390") },
    { to: "0", from: "1400" },
  ],
  ["a list below what this process wrote", "1400", one("940"), { heard: "1390", states: one("1410") }, { to: "0", from: "1410" }],
  ["a restore with --bump-revision", "1000001400", one("940"), { heard: "1400", states: one("980") }, { to: "0", from: "1400" }],
  [
    "a restore with --bump-revision after which the definition was written",
    "1000001500",
    new Map([...one("1000001450"), ...others]),
    { heard: "1400", states: new Map([...one("1390", "u", 2), ...others]) },
    { to: "930", from: "1400" },
  ],
  [
    "a restored definition that was deleted",
    "1000001500",
    one("1000001450"),
    { heard: "1500", states: deleted },
    { to: "0", from: "1500" },
  ],
  ["a definition that was created in place of a deleted one", "1600", one("1550", "another"), { heard: "1500", states: deleted }, null],
  [
    "a restore with --bump-revision of what was deleted since",
    "1000001400",
    new Map([...one("900"), ...others]),
    { heard: "1500", states: new Map([...one("1500"), ...others]) },
    { to: "930", from: "1500" },
  ],
  [
    "a restore with --bump-revision that leaves each definition as it was known",
    "1000001400",
    one("940"),
    { heard: "1400", states: one("940") },
    { to: "940", from: "1400" },
  ],
  ["a busy cluster's next list", "90001400", one("940"), { heard: "1400", states: one("940") }, null],
  ["another cluster at the address", "950", one("940", "another"), { heard: "1400", states: one("1390") }, "another-cluster"],
])("%s", (_, listedAt, listed, before, undone) => {
  expect(detectEtcdRestore(listedAt, listed, { ...before, heardAt: Date.now() })).toEqual(undone);
});
