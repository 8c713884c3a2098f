import { afterEach, expect, test } from "vitest";
import { takePlace } from "./cleanings-here.ts";

const taken: (() => void)[] = [];
const take = (person: string, how: { dryRun?: boolean; objects?: boolean } = {}) =>
  taken.push(takePlace({ person, dryRun: false, objects: true, ...how }));
const refused = (message: string) => expect.objectContaining({ code: "too_many_requests", message: expect.stringContaining(message) });

afterEach(() => {
  for (const leave of taken.splice(0)) leave();
});

// Without the half of the places (takePlace), three people who may only read the objects keep everyone from cleaning them.
test("those who may not patch the objects leave half of the places to the others", () => {
  for (const person of ["a", "b", "c"]) take(person, { objects: false });
  expect(() => take("d", { objects: false })).toThrow(refused("3 cleanings are running for people who can't patch all the objects"));
  for (const person of ["d", "e", "f"]) take(person);
  expect(() => take("g")).toThrow(refused("6 cleanings are running in this crdshift"));
});

// Without places of their own (MOST_IN_ALL), dry runs keep others from cleaning.
test("dry runs take no place of a cleaning", () => {
  for (const person of ["a", "b"]) for (const _ of [1, 2]) take(person, { dryRun: true });
  expect(() => take("c", { dryRun: true })).toThrow(refused("4 dry runs of cleanings are running in this crdshift"));
  for (const _ of [1, 2]) take("a");
  expect(() => take("a")).toThrow(refused("2 of your cleanings are running"));
});
