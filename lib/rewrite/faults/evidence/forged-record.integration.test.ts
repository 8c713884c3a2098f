import { describe, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Whoever may patch a definition can write crdshift's annotation, without the right to write its status.

const { api, cluster, connection, define, endOf, flip, stale, rewrite, storedAs } = await openTestBench();
const OBJECTS = 8;

// Without isOurs (run-rewrite.ts) the run skips every object, and its own proof lets the prune through.
test("a forged settle point does not spare a rewrite its work", async () => {
  const definition = await stale(OBJECTS);
  const identity = crdIdentity((await readCrd(connection, definition.name, soon())).crd);
  if (!identity) throw new Error("It has no storage version.");
  const settlePoint = { ...identity, resourceVersion: "1", takenAt: new Date().toISOString(), settleSeconds: 65, signature: "AAAA" };
  await writeRecord(api, definition, sampleRecord({ settlePoint }));
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  const { proof } = await readRecord(definition);
  expect(BigInt(proof?.settleResourceVersion ?? 0)).toBeGreaterThan(1n);
});

describe("a forged dry run", () => {
  const string = { type: "string" };
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: {} },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { note: string, trivial: string } },
  ];

  /** A definition whose objects would lose a note and more, and what crdshift's own dry run recorded. */
  async function withNotes(): Promise<{ definition: SampleDefinition; dryRun: DryRunRecord }> {
    const definition = await define(versions("v1beta1"));
    await definition.createObjects("v1beta1", OBJECTS, () => ({ note: "precious", trivial: "x" }));
    await flip(definition, versions("v1"));
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("would be dropped") });
    const { dryRun } = await readRecord(definition);
    if (!dryRun) throw new Error("There is no dry run.");
    return { definition, dryRun };
  }

  // Without withOwnEvidence (check-losses.ts) the notes are gone, and nobody was asked.
  test("that found nothing does not hide a loss", async () => {
    const { definition, dryRun } = await withNotes();
    await writeRecord(api, definition, sampleRecord({ dryRun: { ...dryRun, losses: [], lossesKnown: true } }));
    expect(await rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("would be dropped") });
    expect(await notes(definition)).toBe(OBJECTS);
  });

  // Without withOwnEvidence (check-losses.ts) the notes go with the other field.
  test("is accepted only for the losses that it lists", async () => {
    const { definition, dryRun } = await withNotes();
    const losses = dryRun.losses.filter(({ path }) => path === "spec.trivial");
    expect(losses).toHaveLength(1);
    await writeRecord(api, definition, sampleRecord({ dryRun: { ...dryRun, losses, moreLosses: 1 } }));
    expect(await rewrite(definition, { acceptLosses: true, dryRun: dryRun.id })).toMatchObject({
      phase: "unproven",
      heldBackBecause: expect.stringContaining("spec.note would be dropped"),
      acceptedLosses: { losses: [{ path: "spec.trivial" }], more: 0, unseen: false },
    });
    expect(await notes(definition)).toBe(OBJECTS);
  });

  // Without isClaim (accept-losses.ts) all losses are accepted unseen, and the notes go.
  test("does not make an acceptance one of unseen losses", async () => {
    const { definition, dryRun } = await withNotes();
    await writeRecord(api, definition, sampleRecord({ dryRun: { ...dryRun, losses: [], lossesKnown: false } }));
    await expect(rewrite(definition, { acceptLosses: true, acceptUnseen: true, dryRun: dryRun.id })).rejects.toMatchObject({
      code: "precondition_failed",
      message: expect.stringContaining("can't tell what would be lost"),
    });
    expect(await notes(definition)).toBe(OBJECTS);
  });
});

// Without isOwnConsent (accept-losses.ts) the resumed run drops every note, and crdshift signs a proof with that consent.
test("a forged run gives nobody's consent: resumed, it is held back by what it would lose", async () => {
  const definition = await losing();
  const { crd } = await readCrd(connection, definition.name, soon());
  const at = new Date(Date.now() - 120_000).toISOString();
  const run = sampleRun({
    ...{ crd: definition.name, phase: "rewriting", startedAt: at, settledAt: at, renewedAt: at, endedAt: null },
    counts: { total: OBJECTS, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: OBJECTS },
    acceptedLosses: {
      by: "boss",
      at,
      dryRun: null,
      losses: [],
      more: 0,
      sample: null,
      unseen: true,
      of: crdIdentity(crd),
      signature: "AAAA",
    },
  });
  await writeRecord(api, definition, sampleRecord({ runs: [run] }));
  await resumeRewrite(connection, definition.name, run.id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, run.id)).toMatchObject({ phase: "unproven", counts: { rewritten: 0 }, acceptedLosses: null });
  expect(await notes(definition)).toBe(OBJECTS);
});

// Without the consents in withoutSignatures (evidence-signature.ts) the resumed run drops every note.
test("a consent that a person took back stays so, whoever writes the earlier record back", async () => {
  const definition = await losing();
  const { id } = await startRewrite(connection, definition.name, { acceptUnseen: true, settleSeconds: 65, signal: soon() });
  await stopAllRuns();
  const accepted = await readRecord(definition);
  expect(accepted.runs).toMatchObject([{ phase: "interrupted", acceptedLosses: { unseen: true } }]);
  await cancelRewrite(connection, definition.name, id, soon());
  await writeRecord(api, definition, accepted, "argocd");
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await endOf(definition, id)).toMatchObject({ phase: "unproven", counts: { rewritten: 0 }, acceptedLosses: null });
  expect(await notes(definition)).toBe(OBJECTS);
});

/** A definition whose rewrite drops every object's note. */
async function losing(): Promise<SampleDefinition> {
  const string = { type: "string" };
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { a: string } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { a: string, note: string } },
  ];
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, () => ({ a: "x", note: "precious" }));
  await flip(definition, versions("v1"));
  return definition;
}

async function notes(definition: SampleDefinition): Promise<number> {
  const values = [...(await definition.storedValues(cluster.etcd)).values()];
  return values.filter(({ text }) => text.includes("precious")).length;
}
