import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { runPhases } from "#lib/domain/rewrite/run.ts";
import { provenCrd, sampleCrd, sampleEtcdCount, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { describeRun, hasLostProof } from "./describe-run.ts";

const describe = (run: Parameters<typeof sampleRun>[0], leftovers: string[] | null = ["v1beta1"]) =>
  describeRun(sampleRun(run), { leftovers, program: "crdshift" });

test("lists rejected objects with the server's message", () => {
  const group = { reason: "Invalid", message: "size must not change", count: 3, examples: [{ namespace: "east", name: "one" }] };
  const counts = { total: 100, rewritten: 97, alreadyCurrent: 0, gone: 0, rejected: 3, remaining: 0 };
  const text = describe({ phase: "unproven", counts, rejections: [group] });
  expect(text).toMatch(/^3 objects could not be rewritten/);
  expect(text).toContain("3 objects rejected, Invalid: size must not change\n  east/one\n  and 2 others\n");
});

test("a held-back run names the options that let it proceed and leaves the cluster's words alone", () => {
  const heldBackBecause = "spec.throughStatus would be dropped.";
  const text = describe({ phase: "unproven", heldBackBecause });
  expect(text).toMatch(/^Held back before anything more was rewritten\. spec\.throughStatus would be dropped\.$/m);
  expect(text).toMatch(
    /crdshift dry-run crontabs\.example\.com; .*: crdshift rewrite crontabs\.example\.com --accept-losses .*--keep-ownership/,
  );
  expect(describe({ phase: "unproven", heldBackBecause, engine: "in-tree", dryRun: "tried" })).toMatch(/--accept-losses$/);
  // Refused for what may mutate, before any dry run.
  expect(describe({ phase: "unproven", heldBackBecause, engine: "in-tree" })).toMatch(/Next: .*crdshift rewrite crontabs\.example\.com$/);
});

test("a delegated run counts what the cluster's own engine rewrote as verified, not already current", () => {
  const counts = { total: 30, rewritten: 0, alreadyCurrent: 30, gone: 0, rejected: 0, remaining: 0 };
  const delegated = describe({ phase: "succeeded", engine: "in-tree", counts });
  expect(delegated).toMatch(/^Rewritten by crdshift: +0\nVerified: +30$/m);
  expect(delegated).not.toContain("Already current");
  expect(describe({ phase: "succeeded", counts })).toMatch(/^Rewritten: +0\nAlready current: +30$/m);
});

// A process that was suspended right after its proof may tell of it when the definition has long changed.
test("a proof that no longer holds by the end is told as such", () => {
  const proven = provenCrd();
  const id = readableRecord(proven)?.proof?.runId ?? "";
  const told = (crd: Crd) =>
    describeRun(sampleRun({ id, phase: "succeeded" }), {
      ...{ leftovers: [], program: "crdshift" },
      crd: sampleDetail(crd, UNCOUNTED, Date.now()),
    });
  expect(told(proven)).toMatch(/^All 1,500 objects are stored as v1\.\n/);
  expect(told({ ...proven, generation: proven.generation + 1 })).toContain("The proof no longer holds: ");
});

// Without endedVerdict and hasLostProof (describe-run.ts) it says of each that all objects are stored as v1, and exits with 0.
test("a success whose proof is gone, or contradicted by etcd, is told as such", () => {
  const ended = sampleRun({ phase: "succeeded" });
  const detail = (crd: Crd) => sampleDetail(crd, UNCOUNTED, Date.now());
  const told = (crd: CrdDetail) => describeRun(ended, { leftovers: [], program: "crdshift", crd });
  const gone = detail(sampleCrd({ record: sampleRecord({ runs: [ended] }) }));
  const contradicted = detail({ ...provenCrd(), etcdCount: sampleEtcdCount({ v1: [9, "960"], v1beta1: [3, "980"] }) });
  expect(told(gone)).toMatch(/^The rewrite reports success, but neither its proof nor a later rewrite's is on record\.\n/);
  expect(told(contradicted)).toMatch(/^1,500 objects were proven .*\. The proof no longer holds: .*etcd holds 3 objects stored as v1beta1/);
  expect([gone, contradicted, detail(provenCrd())].map((crd) => hasLostProof(ended, crd))).toEqual([true, true, false]);
});

test("every phase ends with a next step", () => {
  const last = runPhases.map((phase) => [phase, describe({ phase }).split("\n").at(-1)]);
  for (const [phase, line] of last) expect(line, phase).toMatch(/crdshift (prune|rewrite) crontabs\.example\.com/);
  expect(Object.fromEntries(last)).toMatchObject({
    succeeded: "Next: crdshift prune crontabs.example.com",
    interrupted: "Next: crdshift rewrite crontabs.example.com --resume",
    unproven: "Next: Fix what rejected the objects, then: crdshift rewrite crontabs.example.com",
  });
});

test("offers a prune only if a version is left to prune", () => {
  expect(describe({ phase: "succeeded" }, [])).toMatch(/: nothing to prune\.$/);
  expect(describe({ phase: "succeeded" }, [])).not.toContain("crdshift prune");
  expect(describe({ phase: "succeeded" }, null)).toMatch(/: crdshift status crontabs\.example\.com$/);
});

test("a run cancelled before it rewrote anything says so, as its page does", () => {
  const counts = { total: 100, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 100 };
  expect(describe({ phase: "cancelled", counts })).toMatch(/^Cancelled before any object was rewritten\.\n/);
});

test("says at least how many were rewritten if the last outcomes are unknown", () => {
  expect(describe({ phase: "cancelled", rewrittenAtLeast: true })).toMatch(/^Rewritten: +at least 40$/m);
  expect(describe({ phase: "interrupted" })).toMatch(/^Rewritten: +at least 40$/m);
  expect(describe({ phase: "interrupted", endedAt: "2026-01-02T12:00:00.000Z" })).toMatch(/^Rewritten: +40$/m);
});

test("explains a migration that the run abandoned", () => {
  const delegation = {
    ...{ migration: "crdshift-x", phase: null, message: "", left: "It was deleted before any controller picked it up." },
    ...{ startedAt: null, endedAt: null, storedVersionsBefore: ["v1beta1", "v1"], putBack: ["v1beta1"] },
  };
  const text = describe({ phase: "failed", delegation });
  expect(text).toMatch(/^Delegated to: +StorageVersionMigration crdshift-x, not running$/m);
  expect(text).toMatch(/^Abandoned: +It was deleted before any controller picked it up\.$/m);
  expect(text).toMatch(/^Repaired: +v1beta1$/m);
});

// Without knownMigration (describe-run.ts) it says that none is running, where a kill may have come right after its creation.
test("a migration that may have been created is told as unknown", () => {
  const delegation = {
    ...{ migration: "crdshift-x", phase: null, message: "", left: null },
    ...{ startedAt: null, endedAt: null, storedVersionsBefore: ["v1"], putBack: [] },
  };
  const told = (settledAt: string | null) => describe({ phase: "interrupted", settledAt, delegation });
  expect(told("2026-01-02T11:59:30.000Z")).toMatch(/^Delegated to: .* crdshift-x, unknown: it may have been created$/m);
  expect(told(null)).toMatch(/^Delegated to: .* crdshift-x, not running$/m);
});

test("text from the cluster can't pass for a line from crdshift", () => {
  const forged = "no\nPhase: succeeded\r\nPhase: succeeded\u2028Phase: succeeded";
  const group = { reason: forged, message: forged, count: 1, examples: [{ namespace: "", name: forged }] };
  const runs: Parameters<typeof describe>[0][] = [
    { phase: "unproven", rejections: [group] },
    { phase: "unproven", heldBackBecause: forged },
    { phase: "failed", statusReason: forged, startedBy: forged },
  ];
  for (const run of runs) {
    expect(describe(run).match(/^\s*Phase:.*$/gm)).toEqual([expect.stringMatching(/^Phase: +(unproven|failed)$/)]);
  }
});
