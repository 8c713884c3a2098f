import { afterEach, expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { forgetDefinition } from "./per-definition.ts";
import { noteDoubt, rememberDoubt, rememberedDoubt } from "./remembered-doubt.ts";

const here = { server: "https://here:6443" };
const doubt = { rejected: 2 };
const run = (id: string) => sampleRun({ id, phase: "cancelled", counts: { ...sampleRun().counts, rewritten: 0 } });
const doubted = sampleCrd({ resourceVersion: "1000", record: sampleRecord({ doubt, runs: [run("doubting")] }) });
/** Proven at `verifiedAt` by a run. */
const proven = (verifiedAt: string, runId: string, changes: Partial<Crd> = {}) => {
  const crd = sampleCrd({ resourceVersion: "2000", ...changes });
  const proof = sampleProof(crd, { verifiedResourceVersion: verifiedAt, runId });
  return { ...crd, record: sampleRecord({ proof, runs: [{ ...run(runId), phase: "succeeded" as const }] }) };
};
afterEach(() => forgetDefinition(here, doubted.uid));

test("it is kept whatever record comes after it, and grows", () => {
  noteDoubt(here, doubted);
  for (const record of [null, "unreadable" as const, sampleRecord()]) {
    noteDoubt(here, { ...doubted, record });
    expect(rememberedDoubt(here, { ...doubted, record })).toEqual(doubt);
  }
  noteDoubt(here, { ...doubted, record: sampleRecord({ doubt: { rejected: 5 } }) });
  noteDoubt(here, { ...doubted, record: sampleRecord({ doubt: { rejected: 1 } }) });
  expect(rememberedDoubt(here, doubted)).toEqual({ rejected: 5 });
});

// With any proof that holds (isEnded) the one from before the doubt ends it, once it is put back under crdshift's name.
test("a proof ends it that was verified later or is of the run that left it, not an earlier one, nor a claim", () => {
  noteDoubt(here, doubted);
  const claims = { proof: true, settlePoint: false, dryRun: false };
  const is = (crd: Crd) => rememberedDoubt(here, crd);
  expect([is(proven("1000", "earlier")), is(proven("1001", "later", { claims }))]).toEqual([doubt, doubt]);
  // Its last list may be older than the renewal that told of the doubt first.
  expect([is(proven("1001", "later")), is(proven("999", "doubting"))]).toEqual([null, null]);
  noteDoubt(here, proven("1001", "later"));
  expect(rememberedDoubt(here, sampleCrd())).toBeNull();
});

// With the id of any newest run (newestUnproven) the proof that the doubt is about ends it, once it is put back.
test("a proof of a run that had succeeded when the doubt was seen doesn't end it", () => {
  const before = proven("999", "doubted");
  noteDoubt(here, { ...doubted, record: sampleRecord({ doubt, runs: before.record.runs }) });
  expect(rememberedDoubt(here, before)).toEqual(doubt);
});

test("a proof of an earlier spec ends it, too, and it begins anew after one", () => {
  noteDoubt(here, doubted);
  noteDoubt(here, { ...proven("1001", "later"), generation: 3 });
  expect(rememberedDoubt(here, sampleCrd())).toBeNull();
  noteDoubt(here, { ...doubted, resourceVersion: "2001" });
  expect(rememberedDoubt(here, proven("1001", "later", { resourceVersion: "3000" }))).toEqual(doubt);
});

test("one that is found later, about an earlier change, doesn't let an older proof end it", () => {
  noteDoubt(here, doubted);
  rememberDoubt(here, doubted.uid, { doubt: { rejected: 1 }, seenAt: "900", run: "another" });
  expect(rememberedDoubt(here, proven("950", "another"))).toEqual(doubt);
  expect(rememberedDoubt(here, proven("1001", "later"))).toBeNull();
});

test("a deleted definition's is forgotten, and a clone's is another", () => {
  noteDoubt(here, doubted);
  expect(rememberedDoubt({ server: "https://clone:6443" }, sampleCrd())).toBeNull();
  forgetDefinition(here, doubted.uid);
  expect(rememberedDoubt(here, sampleCrd())).toBeNull();
});
