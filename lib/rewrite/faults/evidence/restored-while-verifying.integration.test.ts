import { expect } from "vitest";
import { noteUndone } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

const restored = { code: "precondition_failed", message: expect.stringContaining("etcd was restored") };

// Without restoredSince in onChange (verify-claim.ts) it goes on with objects that may be gone, for up to 30 s.
faultTest("a verification ends once crdshift notices that etcd was restored", async (bench) => {
  const { definition, held, pruning } = await pruningClaim(bench);
  noteUndone(bench.connection, { to: "1", from: "2" });
  await bench.api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`, {
    metadata: { labels: { listed: "again" } },
  });
  await expect(pruning).rejects.toMatchObject(restored);
  held.release();
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// Without restoredSince in begin (prune-stored-versions.ts) crdshift signs what it verified before the restore, and prunes.
faultTest("what was verified before a restore of etcd is not signed after it", async (bench) => {
  const { definition, held, pruning } = await pruningClaim(bench);
  noteUndone(bench.connection, { to: "1", from: "2" });
  held.release();
  await expect(pruning).rejects.toMatchObject(restored);
  expect((await readRecord(definition)).proof).toMatchObject({ signature: null });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

/** A prune that is verifying a true proof which no crdshift has signed, held before its last patch. */
async function pruningClaim({ api, connection, proxy, stale, rewrite }: FaultBench) {
  const definition = await stale(3);
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { proof, ...record } = await readRecord(definition);
  await writeRecord(api, definition, { ...record, proof: proof && { ...proof, signature: null } });
  const held = proxy.hold(patchOf(definition), "before", 1);
  const pruning = pruneStoredVersions(connection, definition.name, definition.name, soon());
  pruning.catch(() => {});
  await held.reached;
  return { definition, held, pruning };
}
