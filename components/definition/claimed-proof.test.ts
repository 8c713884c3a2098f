import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { PrunePlan } from "#components/shared/prune.tsx";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import { endedVerdict } from "#lib/domain/audit/ended-verdict.ts";
import { provenCrd, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { ProofSection } from "./proof-section.tsx";

const detail = (claimed: boolean) =>
  sampleDetail(
    { ...provenCrd(), claims: { proof: claimed, settlePoint: false, dryRun: false } },
    UNCOUNTED,
    Date.parse("2026-01-02T12:00:10.000Z"),
  );
const PROVEN = "1,500 objects proven to be stored as v1.";
const CLAIMED = "claimed, not signed by this installation: a rewrite verifies it, and so does a prune of up to 1,000 objects.";

// Without the standing each of these says that all objects are proven, whoever wrote the annotation.
test.each([
  ["the section of the proof", ProofSection],
  ["the dialog of a prune", PrunePlan],
])("%s tells a claimed proof as a claim", (_, component) => {
  const shown = (claimed: boolean) => {
    const crd = detail(claimed);
    return renderToStaticMarkup(createElement(component, { crd, leftovers: crd.leftoverVersions }));
  };
  expect(shown(false)).toContain(PROVEN);
  expect(shown(true)).toContain(CLAIMED);
  expect(shown(true)).not.toContain(PROVEN);
});

test("a run whose proof is claimed is told as one that reports success", () => {
  const run = sampleRun({ phase: "succeeded", provenObjects: 40 });
  const sentence = (claimed: boolean, id = run.id) => endedVerdict({ ...run, id }, detail(claimed))?.sentence;
  expect(sentence(false)).toBe("All 1,500 objects are stored as v1.");
  expect(sentence(true)).toContain(CLAIMED);
  expect(sentence(true, "run-0")).toBe("All 40 objects were stored as v1 when it ended.");
});
