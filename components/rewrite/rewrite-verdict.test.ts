import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleCrd, sampleEtcdCount, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { RewriteVerdict } from "./rewrite-verdict.tsx";

const run = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", provenObjects: 1_500 });
const crd = sampleCrd({ storedVersions: ["v1"] });
const proven = sampleRecord({ proof: sampleProof(crd), runs: [run] });

// Without successStanding (rewrite-verdict.tsx) each says, in green, that all objects are stored as v1, and that nothing blocks a removal.
test.each<[string, Partial<Crd>, string, boolean]>([
  ["a proof that holds", { record: proven }, "border-good", true],
  ["no proof", { record: sampleRecord({ runs: [run] }) }, "border-warning", false],
  ["a proof that etcd contradicts", { record: proven, etcdCount: sampleEtcdCount({ v1beta1: [3, "980"] }) }, "border-warning", false],
])("a success with %s is told as what it is worth", (_, changes, edge, holds) => {
  const detail = sampleDetail({ ...crd, ...changes }, UNCOUNTED, Date.parse("2026-01-02T12:00:10.000Z"));
  const verdict = createElement(RewriteVerdict, { cluster: "dev", run, crd: detail });
  const shown = renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, verdict));
  expect(shown).toContain(edge);
  for (const words of ["All 1,500 objects are stored as v1.", "Proven at resourceVersion", "No leftover version blocks a removal."]) {
    expect(shown.includes(words), words).toBe(holds);
  }
});
