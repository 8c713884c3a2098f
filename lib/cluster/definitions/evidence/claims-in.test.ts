import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import { sampleCrd, sampleDryRunRecord, sampleRecord } from "#lib/domain/testing/sample-crd.ts";
import { claimsIn } from "./claims-in.ts";
import { signed } from "./evidence-signature.ts";

const here = { server: "https://claims:6443" };

// Without claimedDryRun (describe-crd.ts) the page takes it for one that the rewrite relies on, and "rewrite" for the next step.
test("a dry run that this installation didn't sign is a claim, and its page says so", () => {
  const dryRun = sampleDryRunRecord(sampleCrd());
  const invalidBecause = (made: typeof dryRun) => {
    const crd = sampleCrd({ record: sampleRecord({ dryRun: made }) });
    return sampleDetail({ ...crd, claims: claimsIn(here, crd) }, UNCOUNTED, Date.now()).dryRun?.invalidBecause;
  };
  expect(invalidBecause(dryRun)).toContain("this installation didn't sign it");
  expect(invalidBecause(signed(dryRun))).toBeNull();
});
