import { expect, onTestFinished, test } from "vitest";
import { forgetSeen, noteRead, noteSeen } from "./first-seen.ts";
import { noteRestore } from "./note-restore.ts";

const here = { server: "https://first-seen:6443" };
const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const stateOf = (generation: number, specChangedAt: string | null, resourceVersion = "100") => ({
  ...{ uid: "u", generation, resourceVersion, specChangedAt },
});
const read = (generation: number, specChangedAt: string | null, cluster = here) => {
  onTestFinished(() => forgetSeen(cluster, "u"));
  return noteRead(cluster, stateOf(generation, specChangedAt));
};

test("of one generation, the earliest time counts, as no later one can be that of its change", () => {
  const { at: seenAt } = read(2, at(5));
  expect(read(2, at(7))).toMatchObject({ specChangedAt: at(5), at: seenAt });
  expect(read(2, at(4))).toMatchObject({ specChangedAt: at(4) });
  expect(read(2, null)).toMatchObject({ specChangedAt: at(4), sawChange: false });
  expect(read(3, at(9))).toMatchObject({ generation: 3, specChangedAt: at(9), sawChange: true });
});

test("a definition of another cluster with the same uid is another definition", () => {
  read(2, at(1));
  expect(read(2, at(5), { server: "https://clone:6443" })).toMatchObject({ specChangedAt: at(5) });
});

// With the resourceVersion compared, each late event of the watch begins the settle wait anew.
test("an earlier state that arrives late changes nothing", () => {
  const first = read(3, at(1));
  for (const generation of [3, 2]) noteSeen(here, stateOf(generation, at(3), "90"));
  expect(read(3, at(1))).toEqual(first);
});

// With the later generation kept (noteRead), a flip that is repeated after the restore counts as hours old, and no settle wait follows it.
test("an earlier generation that is the definition right now begins now: etcd was restored, and nobody noticed", () => {
  const before = read(3, at(1));
  const restored = read(2, at(7));
  expect(restored).toMatchObject({ generation: 2, specChangedAt: at(7), sawChange: true });
  expect(restored.at).toBeGreaterThan(before.at);
  expect(read(2, at(7))).toEqual(restored);
});

// Without forgetSeen (note-restore.ts) no settle wait follows the second change: crdshift takes it for the first, hours ago.
test("a generation that begins again after a restore of etcd is another spec, and so is an earlier one that comes back", () => {
  read(3, at(1));
  noteRestore(here, ["u"], { to: "950", from: "990" });
  expect(read(2, at(3))).toMatchObject({ generation: 2, specChangedAt: at(3) });
  expect(read(3, at(7))).toMatchObject({ specChangedAt: at(7), sawChange: true });
});
