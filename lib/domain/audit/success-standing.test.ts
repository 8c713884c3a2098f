import { expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleEtcdCount, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { successEvidence } from "./success-evidence.ts";
import { successSentence, successStanding } from "./success-standing.ts";

const crd = sampleCrd();
const run = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", provenObjects: 40 });
const later = sampleRun({ ...run, id: "run-2", storageVersion: "v2", endedAt: "2026-01-03T12:00:00.000Z" });
const proof = sampleProof(crd);
const ofLater = sampleProof(crd, { runId: "run-2", provenAt: "2026-01-03T12:00:00.000Z" });
const disproving = sampleEtcdCount({ v1: [9, "960"], v1beta1: [3, "980"] });
const ended = "All 40 objects were stored as v1 when it ended.";

// Without successStanding (success-standing.ts) each of these says that all objects are stored as v1.
test.each<[string, Partial<Crd>, Parameters<typeof sampleRecord>[0], string, string | RegExp]>([
  ["proven, with the numbers of the proof", {}, { proof, runs: [run] }, "proven", "All 1,500 objects are stored as v1."],
  [
    "void once the spec has changed",
    { generation: 3 },
    { proof, runs: [run] },
    "void",
    /^1,500 objects were proven .*generation 2 became 3/,
  ],
  [
    "void once etcd was counted against it",
    { etcdCount: disproving },
    { proof, runs: [run] },
    "void",
    /^1,500 objects were proven to be stored as v1\. The proof no longer holds: a count at .* but a proof says there are none\.$/,
  ],
  [
    "a claim",
    { claims: { proof: true, settlePoint: false, dryRun: false } },
    { proof, runs: [run] },
    "claimed",
    /^The rewrite reports success, but its proof/,
  ],
  [
    "of the past once a later run has proven another version",
    {},
    { proof: ofLater, runs: [later, run] },
    "replaced",
    `${ended} A later rewrite's proof has replaced its proof.`,
  ],
  [
    "without a proof where a later run withdrew it",
    {},
    { runs: [sampleRun({ id: "run-2" }), run] },
    "missing",
    /^The rewrite reports success, but/,
  ],
  [
    "without a proof beside a later one that is a claim",
    { claims: { proof: true, settlePoint: false, dryRun: false } },
    { proof: ofLater, runs: [later, run] },
    "missing",
    /neither/,
  ],
  ["unknown while the definition is older than the run's end", {}, { runs: [sampleRun()] }, "unknown", ended],
  ["unknown once the run is forgotten", {}, { runs: [later] }, "unknown", ended],
])("the success of a run is %s", (_, changes, recorded, state, sentence) => {
  const record = sampleRecord(recorded);
  const standing = successStanding(run, successEvidence({ ...crd, ...changes, record }, record));
  expect(standing.state).toBe(state);
  expect(successSentence(run, standing)).toMatch(sentence);
});

test("the success of a run is unknown without the definition", () => {
  expect(successStanding(run, null)).toEqual({ state: "unknown" });
});

test("one object was proven", () => {
  const one: Run = { ...run, provenObjects: 1 };
  const because = "generation 2 became 3";
  expect(successSentence(one, { state: "void", proof: { ...proof, objects: 1 }, because })).toMatch(/^1 object was proven/);
});
