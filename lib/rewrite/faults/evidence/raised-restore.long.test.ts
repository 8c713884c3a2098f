import { expect, test } from "vitest";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { pauseRewrite } from "#lib/rewrite/commands/pause-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { restorableCluster } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 30;

// Only the record shows it: it is renewed no more as this run has renewed it (own-record.ts). Without that, the run succeeds, and
// the prune answers 200, with objects stored as v1beta1.
test("a run proves nothing over a restore that raises resourceVersions, though somebody has written the definition since", async () => {
  const { bench, definition, backUp, goBack, raise } = await restorableCluster();
  const { api, connection } = bench;
  await definition.createObjects("v1beta1", OBJECTS);
  await bench.flip(definition, afterFlip);
  const { id } = await bench.start(definition, { acceptUnseen: true, verify: "every-object", maxPerSecond: 1 });
  const phase = async () => (await bench.run(definition, id)).phase;
  await bench.rewritten(definition, id, OBJECTS - 5);
  await pauseRewrite(connection, definition.name, id, soon());
  await expect.poll(phase).toBe("paused");
  await backUp();
  const stale = [...(await definition.storedValues(bench.cluster.etcd))].filter(([_, { apiVersion }]) => apiVersion.endsWith("/v1beta1"));
  await raise();
  for (const [name] of stale) await api.delete(definition.path("v1", { name }));
  await resumeRewrite(connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  await expect.poll(phase, { timeout: 60_000, interval: 20 }).toBe("verifying");
  const known = () => fleetOf(connection).lastKnown(definition.name)?.resourceVersion;
  const before = known();
  await expect.poll(known, { timeout: 30_000 }).not.toBe(before);

  const etcd = goBack();
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "interrupted", provenObjects: null });
  expect((await readRecord(definition)).proof).toBeNull();
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });
  const stored = [...(await definition.storedValues(etcd)).values()].map(({ apiVersion }) => apiVersion.split("/")[1]);
  expect(stored.filter((version) => version === "v1beta1")).toHaveLength(stale.length);
});
