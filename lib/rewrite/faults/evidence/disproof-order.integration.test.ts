import { expect, onTestFinished, test, vi } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { validProof } from "#lib/domain/record/valid-evidence.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Two crdshifts share the signing key and differ in their clocks: only the API server's resourceVersions say what came first.

const { api, cluster, connection, stale, rewrite } = await openTestBench();
const OBJECTS = 6;
const ONE = objectName(0);
const AHEAD_MS = 10 * 60_000;
const later = (at = "") => new Date(Date.parse(at) + AHEAD_MS).toISOString();

// With the clocks' times in place of the resourceVersions (evidence-signature.ts) the prune answers 200, with an object left at v1beta1.
test("a find after a proof withdraws it, although the clock of the crdshift that signed it is fast", async () => {
  const definition = await stale(OBJECTS);
  const old = (await definition.storedValues(cluster.etcd)).get(ONE)?.text ?? "";
  const put = () => putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${ONE}`, old);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const record = await readRecord(definition);
  const { proof, settlePoint } = record;
  if (!proof || !settlePoint) throw new Error("Nothing is proven.");
  await put();
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({ counts: { rewritten: 1 } });
  await put();
  await writeRecord(api, definition, {
    ...record,
    proof: signed({ ...proof, provenAt: later(proof.provenAt) }),
    settlePoint: signed({ ...settlePoint, takenAt: later(settlePoint.takenAt) }),
  });
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    message: expect.stringContaining(
      "1 object had been stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy",
    ),
  });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// With the clocks' times in place of the resourceVersions (evidence-signature.ts) the proof counts as withdrawn.
test("a find before a proof does not withdraw it, although the clock of the crdshift that made the find is fast", async () => {
  const definition = await stale(OBJECTS);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD_MS, shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
  vi.useRealTimers();
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({ counts: { rewritten: 0 } });
  const { crd } = await readCrd(connection, definition.name, soon());
  expect(validProof(crd)).toEqual((await readRecord(definition)).proof);
});
