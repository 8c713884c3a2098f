import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { ObjectCounts } from "#lib/contract/objects/object-counts.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { provenCrd, sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { VersionLadder } from "./version-ladder.tsx";

const detail = (crd: Crd) => sampleDetail(crd, UNCOUNTED, Date.parse("2026-01-02T12:00:10.000Z"));

/** The table of `now` with what was counted of `counted`. */
function shown(basis: "proof" | "declared", counted: Crd, now: Crd): string {
  const count = { lastWrittenAs: 0, managedFieldsAs: 0 };
  const counts: ObjectCounts = {
    ...{ total: 3, basis: "list", message: null, asOf: "2026-01-02T12:00:00.000Z", complete: true, scanned: 3, etcd: null },
    definition: detail(counted),
    versions: [
      { name: "v1", stored: { atLeast: 3, atMost: 3, basis }, ...count },
      { name: "v1beta1", stored: { atLeast: 0, atMost: 0, basis }, ...count },
    ],
  };
  const ladder = createElement(VersionLadder, { cluster: "here", crd: detail(now), counts });
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, ladder));
}

// Without isOvertaken (is-overtaken.ts) "v1beta1: 0 ✓ proven" stays while v1beta1 is the storage version again, and gets writes.
test.each<[string, Crd]>([
  ["the storage version", { ...provenCrd(), generation: 3 }],
  ["what the proof says", { ...provenCrd(), record: null }],
  ["the definition, for another of its name", { ...provenCrd(), uid: "another" }],
])("a count is proven no longer once somebody changed %s", (_, now) => {
  expect(shown("proof", provenCrd(), provenCrd({ resourceVersion: "99999" }))).toContain("✓ proven");
  expect(shown("proof", provenCrd(), now)).not.toContain("✓ proven");
  expect(shown("proof", provenCrd(), now)).toContain("before a change");
});

test("a count that rests on the list of stored versions says so only while that list is the same", () => {
  const listing = (...storedVersions: string[]) => sampleCrd({ storedVersions });
  expect(shown("declared", listing("v1"), listing("v1"))).toContain("listed, not verified");
  expect(shown("declared", listing("v1"), listing("v1beta1", "v1"))).not.toContain("listed, not verified");
});
