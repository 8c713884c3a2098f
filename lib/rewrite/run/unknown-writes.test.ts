import { expect, test } from "vitest";
import { sampleCrd, sampleRun, sampleSettlePoint } from "#lib/domain/definition/sample-crd.ts";
import { unknownWrites } from "./unknown-writes.ts";

const crd = sampleCrd();
const settlePoint = sampleSettlePoint(crd, { resourceVersion: "900" });
const killed = (settleResourceVersion: string | null) => sampleRun({ phase: "rewriting", endedAt: null, settleResourceVersion });

// Where only the settle point in the record counts, which an earlier run may have taken, a person is told to compare objects with a backup.
test("a run that was killed while it settled wrote nothing", () => {
  const settling = { ...killed(null), phase: "settling" as const };
  expect(unknownWrites(settling, crd, { settlePoint })).toBeNull();
  expect(unknownWrites(settling, { ...crd, generation: 3 }, { settlePoint })).toBeNull();
});

// With the settle points compared, a run that took a newer one in between tells nothing.
test("a run that was killed once it had settled may have met a change of the spec, or of admission", () => {
  expect(unknownWrites(killed("900"), crd, { settlePoint })).toContain("webhooks or policies");
  expect(unknownWrites(killed("800"), { ...crd, generation: 3 }, { settlePoint })).toContain("its spec changed");
  expect(unknownWrites(killed("900"), crd, { settlePoint: null })).toContain("webhooks or policies");
  expect(unknownWrites({ ...killed("900"), phase: "cancelled" }, crd, { settlePoint })).toBeNull();
});
