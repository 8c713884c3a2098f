import { expect, test } from "vitest";
import { forgetLeftKnown, leaveKnown, leftKnown } from "./left-known.ts";

const cluster = { server: "https://left:6443" };
const known = (heard: string) => ({ heard, seen: new Map([["widgets", { uid: "u", resourceVersion: heard, generation: 1 }]]) });

test("of the fleets of a cluster that ended, the one that heard last counts", () => {
  leaveKnown(cluster, known("1400"));
  leaveKnown(cluster, known("950"));
  leaveKnown(cluster, known(""));
  expect(leftKnown(cluster)).toEqual(known("1400"));
  expect(leftKnown({ server: "https://another:6443" })).toBeNull();
  forgetLeftKnown(cluster);
  expect(leftKnown(cluster)).toBeNull();
});
