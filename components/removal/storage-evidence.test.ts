import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import { provenCrd, sampleProof, sampleRecord } from "#lib/domain/testing/sample-crd.ts";
import { StorageEvidence } from "./step-list.tsx";
import { stepSummary } from "./step-words.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");

function shown(generation: number): string {
  const before = provenCrd();
  const prune = { versions: ["v1beta1"], prunedAt: "2026-01-02T12:00:05.000Z", by: "alice", runId: "run-1", reason: null };
  const record = sampleRecord({ proof: sampleProof(before), prune });
  const crd = sampleDetail({ ...before, storedVersions: ["v1"], generation, record }, UNCOUNTED, now);
  const step = crd.removals.find(({ version }) => version === "v1beta1")?.steps.find(({ name }) => name === "storage");
  const evidence = renderToStaticMarkup(createElement(StorageEvidence, { crd, version: "v1beta1" })).replaceAll(/<[^>]+>/g, "");
  return `${step && stepSummary(step, crd, "v1beta1")} ${evidence}`;
}

// Without the proof's standing (StorageEvidence, stepSummary) a version that was the storage version again looks proven unused.
test("a prune is told with its date, and as proven only while the proof holds", () => {
  expect(shown(2)).toMatch(
    /^status\.storedVersions is \[v1\]\. Pruned 2 Jan 2026, .*, after a rewrite proved that no object was stored as v1beta1\. $/,
  );
  expect(shown(4)).toMatch(/^status\.storedVersions is \[v1\] \(not verified\)\. Pruned .* Not proven\..* rewrite again\.$/);
});
