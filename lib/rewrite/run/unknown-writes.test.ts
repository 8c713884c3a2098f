import { expect, test } from "vitest";
import { sampleCrd, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { unknownWrites } from "./unknown-writes.ts";

const crd = sampleCrd();
const settlePoint = sampleSettlePoint(crd, { resourceVersion: "900" });
const evidence = { settlePoint, generationSeen: { generation: crd.generation, at: "2026-01-02T11:00:00.000Z" } };
const killed = (settleResourceVersion: string | null) => sampleRun({ phase: "rewriting", endedAt: null, settleResourceVersion });

// Where only the settle point in the record counts, which an earlier run may have taken, a person is told to compare objects with a backup.
test("a run that was killed while it settled wrote nothing", () => {
  const settling = { ...killed(null), phase: "settling" as const };
  expect(unknownWrites(settling, crd, evidence)).toBeNull();
  expect(unknownWrites(settling, { ...crd, generation: 3 }, evidence)).toBeNull();
});

// With the settle points compared, a run that took a newer one in between tells nothing.
test("a run that was killed once it had settled may have met a change of the spec, or of admission", () => {
  expect(unknownWrites(killed("900"), crd, evidence)).toContain("webhooks or policies");
  expect(unknownWrites(killed("800"), { ...crd, generation: 3 }, evidence)).toContain("its spec changed");
  expect(unknownWrites(killed("900"), crd, { ...evidence, settlePoint: null })).toContain("webhooks or policies");
  expect(unknownWrites({ ...killed("900"), phase: "cancelled" }, crd, evidence)).toBeNull();
});

// With the settle point alone, one that an object had disproved by then hides that the storage version was flipped.
test("a run that was killed without a settle point may have met a change of the spec since it began", () => {
  const withdrawn = { ...evidence, settlePoint: null };
  expect(unknownWrites(killed("900"), { ...crd, generation: 9 }, withdrawn)).toContain(
    "its spec changed (generation 2 became 9) since it began",
  );
});
