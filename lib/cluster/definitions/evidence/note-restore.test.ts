import { afterEach, expect, test } from "vitest";
import { sampleCrd, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { hasOurSignature, isOurs, resigned, signed } from "./evidence-signature.ts";
import { noteRestore } from "./note-restore.ts";
import { forgetDefinition } from "./per-definition.ts";
import { noteDoubt, rememberDoubt, rememberedDoubt } from "./remembered-doubt.ts";
import { withdrawEvidence } from "./withdrawn-evidence.ts";

/** Restored from 1400 to 950. Each test has a cluster of its own, because a process never forgets a restore. */
const undone = { to: "950", from: "1400" };
const clusters = { count: 0 };
const cluster = () => {
  clusters.count += 1;
  return { server: `https://restored-${clusters.count}:6443` };
};
const crd = sampleCrd();
const proof = (settleResourceVersion: string, verifiedResourceVersion: string) =>
  signed(sampleProof(crd, { settleResourceVersion, verifiedResourceVersion }));
afterEach(() => {
  for (let index = 1; index <= clusters.count; index += 1) forgetDefinition({ server: `https://restored-${index}:6443` }, crd.uid);
});

test("evidence about what a restore undid is worthless, and stays so when its resourceVersions are given out again", () => {
  const here = cluster();
  const undoneProof = proof("900", "951");
  const before = [proof("900", "949"), undoneProof, proof("1000", "1400"), signed(sampleSettlePoint(crd, { resourceVersion: "960" }))];
  noteRestore(here, [crd.uid], undone);
  expect(before.map((part) => isOurs(here, part))).toEqual([true, false, false, false]);
  expect(isOurs(cluster(), undoneProof)).toBe(true);
  const cut = resigned(undoneProof, { ...undoneProof, objects: 1 });
  expect([hasOurSignature(cut), isOurs(here, cut)]).toEqual([true, false]);
});

test("what this process proves after the restore holds, also once it is cut to fit", () => {
  const here = cluster();
  noteRestore(here, [crd.uid], undone);
  const now = proof("951", "952");
  const cut = resigned(now, { ...now, objects: 1 });
  expect([isOurs(here, now), isOurs(here, cut), hasOurSignature(cut)]).toEqual([true, true, true]);
  noteRestore(here, [crd.uid], { to: "940", from: "960" });
  expect(isOurs(here, now)).toBe(false);
});

// Without lowerFindings (withdrawn-evidence.ts) nothing can be proven until the resourceVersions pass those of the finding.
test("a finding from before the restore still withdraws the proof that came back with it, and not a new one", () => {
  const here = cluster();
  const restored = proof("900", "940");
  withdrawEvidence(here, crd.uid, { objectAt: "930", foundAt: "1500" });
  noteRestore(here, [crd.uid], undone);
  expect(isOurs(here, restored)).toBe(false);
  expect(isOurs(here, proof("951", "952"))).toBe(true);
  // Above all that was heard, but below the finding.
  expect(isOurs(here, { ...proof("900", "1450"), signature: restored.signature })).toBe(false);
});

// Without lowerDoubt (remembered-doubt.ts) each proof is taken out of the record again (update-record.ts).
test("a doubt from before the restore stays, whatever proof came back with it, until a new one", () => {
  const here = cluster();
  const run = (id: string) => sampleRun({ id, phase: "succeeded" });
  const proven = (part: ReturnType<typeof proof>) => ({
    ...sampleCrd({ resourceVersion: "1600", storedVersions: ["v1"] }),
    record: sampleRecord({ proof: part, runs: [run(part.runId)] }),
    claims: { proof: !isOurs(here, part), settlePoint: false, dryRun: false },
  });
  const [old, undoneProof] = [proof("900", "940"), proof("1000", "1390")];
  rememberDoubt(here, crd.uid, { doubt: { rejected: 2 }, seenAt: "1380", run: "doubting" });
  noteRestore(here, [crd.uid], undone);
  for (const part of [old, undoneProof]) {
    noteDoubt(here, proven(part));
    expect(rememberedDoubt(here, proven(part))).toEqual({ rejected: 2 });
  }
  noteDoubt(here, proven(proof("951", "952")));
  expect(rememberedDoubt(here, proven(old))).toBeNull();
});

// Without endedDoubts (remembered-doubt.ts) the proof that the doubt was about holds again.
test("a doubt that a proof has ended is back if the restore undoes that proof, until a new one", () => {
  const here = cluster();
  const record = (part: ReturnType<typeof proof>) =>
    sampleRecord({ proof: part, runs: [sampleRun({ id: part.runId, phase: "succeeded" })] });
  const proven = (part: ReturnType<typeof proof>, resourceVersion: string) => ({ ...crd, resourceVersion, record: record(part) });
  const old = proof("900", "940");
  rememberDoubt(here, crd.uid, { doubt: { rejected: 2 }, seenAt: "960", run: "doubting" });
  noteDoubt(here, proven(proof("1000", "1010"), "1020"));
  expect(rememberedDoubt(here, proven(old, "950"))).toBeNull();
  noteRestore(here, [crd.uid], { to: "1100", from: "1400" });
  expect(rememberedDoubt(here, proven(old, "950"))).toBeNull();
  noteRestore(here, [crd.uid], undone);
  expect(rememberedDoubt(here, proven(old, "950"))).toEqual({ rejected: 2 });
  noteDoubt(here, proven(proof("951", "952"), "953"));
  expect(rememberedDoubt(here, proven(old, "953"))).toBeNull();
});
