import { expect, test } from "vitest";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import type { AcceptedNames, Crd } from "./crd.ts";
import { nameCollisions } from "./name-collisions.ts";

const nothing: AcceptedNames = { plural: "", singular: "", kind: "", listKind: "", shortNames: [] };
const holder = sampleCrd();
/** A newcomer of the same group that shares no name, but for what is changed. */
const newcomer = (changes: Partial<Crd> = {}, names: Partial<Crd["names"]> = {}) =>
  sampleCrd({
    name: "jobs.example.com",
    plural: "jobs",
    kind: "Job",
    names: { singular: "job", listKind: "JobList", shortNames: ["jo"], categories: [], ...names },
    acceptedNames: nothing,
    ...changes,
  });
const of = (crd: Crd, others: Crd[] = [holder]) =>
  nameCollisions(crd, others).map(({ role, name, heldBy }) => `${role} ${name} is ${heldBy.role} of ${heldBy.crd}`);

test.each<[string, Crd]>([
  ["plural ct is shortNames of crontabs.example.com", newcomer({ plural: "ct" })],
  ["singular crontab is singular of crontabs.example.com", newcomer({}, { singular: "crontab" })],
  ["shortNames crontabs is plural of crontabs.example.com", newcomer({}, { shortNames: ["jo", "crontabs"] })],
  ["kind CronTab is kind of crontabs.example.com", newcomer({ kind: "CronTab" })],
  ["listKind CronTab is kind of crontabs.example.com", newcomer({}, { listKind: "CronTab" })],
])("each of the five names may be taken, by any of its sort: %s", (expected, crd) => {
  expect(of(crd)).toEqual([expected]);
});

test("all that are taken are told, where the condition tells one", () => {
  expect(of(newcomer({ kind: "CronTab" }, { singular: "crontab" }))).toHaveLength(2);
});

test("a name that is taken in another group, or as something of the other sort, is free", () => {
  expect(of(newcomer({ kind: "CronTab", group: "example.org" }))).toEqual([]);
  expect(of(newcomer({}, { singular: "CronTab" }))).toEqual([]);
});

test("what another one asks for without getting it is not taken, and what it got before is", () => {
  expect(of(newcomer({ kind: "CronTab" }), [{ ...holder, acceptedNames: nothing }])).toEqual([]);
  const renamed = { ...holder, acceptedNames: { ...nothing, kind: "Job" } };
  expect(of(newcomer(), [renamed])).toEqual(["kind Job is kind of crontabs.example.com"]);
});

test("a definition can collide with itself, and one whose names are accepted collides with nothing", () => {
  const accepted = { plural: "jobs", singular: "job", kind: "Job", listKind: "JobList", shortNames: [] };
  expect(of(newcomer({ acceptedNames: accepted }, { shortNames: ["job"] }), [])).toEqual([
    "shortNames job is singular of jobs.example.com",
  ]);
  expect(of(newcomer({ kind: "CronTab", acceptedNames: null }))).toEqual([]);
});

// Searching the other's names for each took 1.5 s, and thirty for what fits a definition (name-collisions.ts, heldNames).
test("50,000 names that another of 50,000 doesn't hold take no time, and at most a hundred collisions are told", async () => {
  const many = (prefix: string) => Array.from({ length: 50_000 }, (_, index) => `${prefix}${index}`);
  const rival = (shortNames: string[]) => sampleCrd({ acceptedNames: { ...nothing, shortNames } });
  const { longest, result } = await whileWatched(async () => [
    of(newcomer({}, { shortNames: many("a") }), [rival(many("b"))]).length,
    of(newcomer({}, { shortNames: many("a") }), [rival(many("a"))]).length,
  ]);
  expect(result).toEqual([0, 100]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
