import { expect, test } from "vitest";
import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleCrd, sampleEtcdCount, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { crdFromJson } from "./crd-from-json.ts";
import { describeCrd } from "./describe-crd.ts";
import { summarizeCrd } from "./summarize-crd.ts";

const counted = { total: null, basis: "unknown", asOf: null, message: null, conversionFailure: null } as const;

test("versions that were removed can be put back, each name once, unless it is in the spec again; each has its path", () => {
  const at = (version: string, hour: string) => ({ version, removedAt: `2026-01-02T${hour}:00:00.000Z`, by: null });
  const removedVersions = [at("v1alpha2", "12"), at("v1beta1", "11"), at("v1alpha1", "10"), at("v1alpha2", "09")];
  const detail = describeCrd(sampleCrd({ removedVersions }), counted, Date.parse("2026-01-02T13:00:00.000Z"));
  expect(detail.removedVersions).toEqual([at("v1alpha2", "12"), at("v1alpha1", "10")]);
  expect(detail.removals.map(({ version }) => version)).toEqual(["v1", "v1beta1", "v1alpha2", "v1alpha1"]);
});

// Without relistableVersions (describe-crd.ts), the version that is gone refused the repair of the other one, whose step said "ready".
test("versions that vanished unproven can be repaired without those that have left the spec, as their removal paths say", () => {
  const described = (shrankWithoutProof: string[]) =>
    describeCrd(sampleCrd({ storedVersions: ["v1"], shrankWithoutProof }), counted, Date.parse("2026-01-02T13:00:00.000Z"));
  const detail = described(["v1alpha1", "v1beta1"]);
  const storage = detail.removals.find(({ version }) => version === "v1beta1")?.steps.find(({ name }) => name === "storage");
  expect(storage).toMatchObject({ action: "restore", state: "ready" });
  expect(detail).toMatchObject({ missingStoredVersions: ["v1alpha1", "v1beta1"], actions: { restore: { refusal: null } } });
  expect(described(["v1alpha1"]).actions.restore.refusal).toContain("v1alpha1 is no longer in spec.versions.");
});

// Without MOST_REMOVALS (summarize-crd.ts), 4,000 versions took 4 s each time somebody looked at the definition, and over a minute if
// status.storedVersions listed them all.
test.each([0, 4_000])("thousands of versions hold nobody up, %i of them stored: the first twenty have a path", async (stored) => {
  const versions = Array.from({ length: 4_000 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 }));
  const storedVersions = ["v1", ...versions.slice(1, stored).map(({ name }) => name)];
  const crd = sampleCrd({ versions, storedVersions });
  const { longest, result } = await whileWatched(async () => describeCrd(crd, counted, Date.now()));
  expect([result.versions.length, result.removals.length, result.leftovers.length]).toEqual([4_000, 20, Math.max(0, stored - 1)]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

test("of names and finalizers that anyone listed, the first hundred are described", () => {
  const listed = Array.from({ length: 70_000 }, (_, index) => `n${index}`);
  const words = { singular: "crontab", listKind: "CronTabList", shortNames: listed };
  const acceptedNames = { ...words, plural: "crontabs", kind: "CronTab", shortNames: listed.toReversed() };
  const crd = sampleCrd({ names: { ...words, categories: listed }, acceptedNames, finalizers: listed });
  const described = describeCrd(crd, counted, Date.now());
  const { names, acceptedNames: accepted, finalizers } = described;
  const lists = [names.shortNames, names.categories, accepted?.shortNames, finalizers];
  expect(lists.map((list) => list?.length)).toEqual([100, 100, 100, 100]);
  expect(accepted).toEqual({ ...acceptedNames, shortNames: listed.toReversed().slice(0, 100) });
});

const AT = "2026-01-02T12:00:00.000Z";
const names = (count: number, prefix = "v") => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);
const many = (changes: Partial<Crd> = {}, flags: { deprecated?: boolean } = {}) => {
  const versions = names(8_000).map((name, index) => sampleVersion(name, { storage: index === 0, ...(index > 0 && flags) }));
  return sampleCrd({ versions, storedVersions: ["v1"], ...changes });
};
const delegated = sampleRun({
  phase: "failed",
  endedAt: AT,
  delegation: {
    ...{ migration: "m", phase: "failed", message: "", left: null, startedAt: AT, endedAt: AT },
    ...{ storedVersionsBefore: names(4_000), putBack: [] },
  },
});

// Where each of many was looked up among as many others, these took from a tenth of a second to a minute.
test.each<[string, Crd]>([
  ["deprecated versions", many({}, { deprecated: true })],
  [
    "versions that managedFields name and that are gone",
    many({ managedFieldsCount: { asOf: AT, versions: new Map(names(14_000, "w").map((name) => [name, 1])) } }),
  ],
  [
    "versions in etcd that nobody listed",
    many({ etcdCount: sampleEtcdCount(Object.fromEntries(names(8_000).map((name) => [name, [1, "5"]]))) }),
  ],
  ["versions that a run is said to have left", many({ record: sampleRecord({ runs: [delegated] }) })],
  [
    "versions in a prune that nobody has confirmed",
    many({
      storedVersions: names(8_000),
      record: sampleRecord({ pruning: { versions: names(4_000, "w"), prunedAt: AT, by: null, runId: null, reason: null } }),
    }),
  ],
])("thousands of %s hold nobody up", async (_, crd) => {
  const { longest } = await whileWatched(async () => describeCrd(crd, counted, Date.now()));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// As long as a list of them, 20 such definitions took over a second each time, for an answer of 50 MB.
test("a list of definitions with thousands of versions holds nobody up: each is summarized with the first twenty", async () => {
  const versions = names(16_000).map((name, index) => sampleVersion(name, { storage: index === 0, deprecated: index > 0 }));
  const crd = sampleCrd({ versions, storedVersions: names(16_000) });
  const { longest, result } = await whileWatched(async () =>
    JSON.stringify(await mapInShortTurns(Array(20).fill(crd), (one: Crd) => summarizeCrd(one, counted, Date.now()), { person: "alice" })),
  );
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result.length).toBeLessThan(200_000);
  const detail = describeCrd(crd, counted, Date.now());
  expect([detail.versions.length, detail.storedVersions.length, detail.leftoverVersions.length]).toEqual([16_000, 16_000, 15_999]);
});

// With the whole text, 30 definitions gave an answer of 39 MB, and so did every change of one an event of 1.3 MB.
test("a list of definitions whose conditions have a megabyte of text holds nobody up", async () => {
  const refused = { type: "NamesAccepted", status: "False", reason: "PluralConflict", message: "x".repeat(1_300_000) };
  const odd = { type: "x".repeat(5_000), status: "True", reason: "x".repeat(5_000), message: "" };
  const json = (index: number) => ({
    metadata: { name: `w${index}.example.com`, uid: `u${index}` },
    spec: { group: "example.com", names: { plural: `w${index}`, kind: "W" }, versions: [{ name: "v1", served: true, storage: true }] },
    status: { storedVersions: ["v1"], conditions: [refused, ...Array(20).fill(odd)] },
  });
  const { longest, result } = await whileWatched(async () => {
    const crds = Array.from({ length: 30 }, (_, index) => crdFromJson({ server: "https://here:6443" }, json(index)));
    return {
      crds,
      sent: JSON.stringify(await mapInShortTurns(crds, (one) => summarizeCrd(one, counted, Date.now()), { person: "alice" })),
    };
  });
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result.sent.length).toBeLessThan(1_000_000);
  const [crd = expect.fail()] = result.crds;
  expect(summarizeCrd(crd, counted, Date.now())).toMatchObject({ state: "blocked", stateReason: expect.stringContaining("xxx…. See its") });
  const { conditions } = describeCrd(crd, counted, Date.now());
  expect(conditions).toHaveLength(21);
  expect(conditions.every(({ type, reason, message }) => Math.max(type.length, reason.length, message.length) <= 4_097)).toBe(true);
});

test("a migration whose name has a megabyte isn't repeated in every refusal", () => {
  const message = `Migration ${"x".repeat(1_000_000)} is running`;
  const conditions = [
    ...sampleCrd().conditions,
    { type: "StorageMigrating", status: "True" as const, reason: "MigrationRunning", message },
  ];
  const detail = describeCrd(sampleCrd({ versions: many().versions.slice(0, 20), conditions }), counted, Date.now());
  expect(detail.actions.rewrite.refusal).toContain("The cluster's own StorageVersionMigration is running.");
  expect(JSON.stringify(detail).length).toBeLessThan(1_100_000);
});
