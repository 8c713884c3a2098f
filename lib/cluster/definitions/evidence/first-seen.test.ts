import { expect, onTestFinished, test } from "vitest";
import { forgetSeen, noteSeen } from "./first-seen.ts";

const here = { server: "https://here:6443" };
const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;
const see = (generation: number, specChangedAt: string | null, { resourceVersion = "100", cluster = here } = {}) => {
  onTestFinished(() => forgetSeen(cluster, "u"));
  return noteSeen(cluster, { uid: "u", generation, resourceVersion, specChangedAt });
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

// Without the resourceVersion (first-seen.ts) no settle wait follows the second change: crdshift takes it for the first, hours ago.
test("a generation that begins again after a restore of etcd is another spec, and so is an earlier one that comes back", () => {
  const first = see(3, at(1), { resourceVersion: "980" });
  expect(see(3, at(2), { resourceVersion: "990" })).toMatchObject({ at: first.at, specChangedAt: at(1) });
  expect(see(3, at(7), { resourceVersion: "960" })).toMatchObject({ resourceVersion: "960", specChangedAt: at(7), sawChange: true });
  expect(see(2, at(3), { resourceVersion: "950" })).toMatchObject({ generation: 3 });
  expect(see(2, at(3), { resourceVersion: "970" })).toMatchObject({ generation: 2, specChangedAt: at(3) });
});
