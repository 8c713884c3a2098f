import { expect, test } from "vitest";
import { withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { withdrawAnyway } from "./withdraw-anyway.ts";

const { connection, stale, rewrite } = await openTestBench();

// With a doubt for every finding, a process that wakes up after another crdshift has proven the definition takes that proof away.
test("a proof that was verified after what this process found stays, and no other", async () => {
  const definition = await stale(3);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { metadata } = await definition.read();
  const proven = await readRecord(definition);
  const findAt = async (resourceVersion: string) => {
    withdrawEvidence(connection, metadata.uid, { objectAt: resourceVersion, foundAt: resourceVersion });
    await withdrawAnyway(connection, { name: definition.name, uid: metadata.uid });
    return readRecord(definition);
  };
  expect(await findAt("1")).toEqual(proven);
  const later = String(BigInt(proven.proof?.verifiedResourceVersion ?? 0) + 1_000n);
  expect(await findAt(later)).toMatchObject({ proof: null, settlePoint: null, doubt: { rejected: 0 } });
});
