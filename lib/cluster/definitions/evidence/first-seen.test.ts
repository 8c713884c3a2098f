import { expect, onTestFinished, test } from "vitest";
import { forgetSeen, noteSeen } from "./first-seen.ts";
import { noteRestore } from "./note-restore.ts";

const here = { server: "https://first-seen:6443" };
const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const see = (generation: number, specChangedAt: string | null, { resourceVersion = "100", cluster = here } = {}) => {
  onTestFinished(() => forgetSeen(cluster, "u"));
  const crd = { uid: "u", generation, resourceVersion, specChangedAt };
  return noteSeen(cluster, crd);
};

test("of one generation, the earliest time counts, as no later one can be that of its change", () => {
  const { at: seenAt } = see(2, at(5));
  expect(see(2, at(7))).toMatchObject({ specChangedAt: at(5), at: seenAt });
  expect(see(2, at(4))).toMatchObject({ specChangedAt: at(4) });
  expect(see(2, null)).toMatchObject({ specChangedAt: at(4), sawChange: false });
  expect(see(3, at(9))).toMatchObject({ generation: 3, specChangedAt: at(9), sawChange: true });
  expect(see(2, at(1))).toMatchObject({ generation: 3, specChangedAt: at(9) });
});

test("a definition of another cluster with the same uid is another definition", () => {
  see(2, at(1));
  expect(see(2, at(5), { cluster: { server: "https://clone:6443" } })).toMatchObject({ specChangedAt: at(5) });
});

// With the resourceVersion compared, each late event of the watch begins the settle wait anew.
test("an earlier state of a generation that arrives late changes nothing", () => {
  const first = see(3, at(1));
  const late = { resourceVersion: "90" };
  expect(see(3, at(1), late)).toMatchObject({ at: first.at, sawChange: false });
  expect(see(2, at(3), late)).toMatchObject({ generation: 3, at: first.at });
});

// Without forgetSeen (note-restore.ts) no settle wait follows the second change: crdshift takes it for the first, hours ago.
test("a generation that begins again after a restore of etcd is another spec, and so is an earlier one that comes back", () => {
  see(3, at(1));
  noteRestore(here, ["u"], { to: "950", from: "990" });
  expect(see(2, at(3))).toMatchObject({ generation: 2, specChangedAt: at(3) });
  expect(see(3, at(7))).toMatchObject({ specChangedAt: at(7), sawChange: true });
});
