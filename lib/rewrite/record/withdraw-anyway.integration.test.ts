import { expect, test } from "vitest";
import { rememberDoubt } from "#lib/cluster/definitions/evidence/remembered-doubt.ts";
import { withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { withdrawAnyway } from "./withdraw-anyway.ts";

const { api, connection, stale, rewrite } = await openTestBench();

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

// With the doubt that the finding left in this process's memory, no proof by another key holds beside it.
test("so does one by another key that covers what this process remembers", async () => {
  const definition = await stale(3);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const { metadata } = await definition.read();
  const { proof, settlePoint, ...record } = await readRecord(definition);
  if (!proof || !settlePoint) throw new Error("It isn't proven.");
  const byAnother = { ...record, proof: { ...proof, signature: "another" }, settlePoint: { ...settlePoint, signature: "another" } };
  await writeRecord(api, definition, byAnother);
  const found = { objectAt: settlePoint.resourceVersion, foundAt: settlePoint.resourceVersion };
  withdrawEvidence(connection, metadata.uid, found);
  rememberDoubt(connection, metadata.uid, { doubt: { rejected: 0 }, seenAt: found.foundAt, run: null });
  await withdrawAnyway(connection, { name: definition.name, uid: metadata.uid });
  expect(await readRecord(definition)).toEqual(byAnother);
});
