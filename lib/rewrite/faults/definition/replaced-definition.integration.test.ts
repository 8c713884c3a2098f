import { afterAll, expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { replaceDefinition } from "#lib/rewrite/testing/record/replace-definition.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";

// `kubectl replace --force` deletes a definition with its objects, and creates another one with the annotations of the first.

const { cluster, api } = await ownCluster();
chooseKubeconfig(cluster.kubeconfig);
const bench = benchOn(cluster, api, await connect(cluster.context));
await standInMigrations(api, "storagemigration.k8s.io", "v1");
afterAll(() => fleetOf(bench.connection).stop());

// Without the record's uid (recordOf in crd-from-json.ts) the run goes on with what it counted of other objects.
test("a run of the old definition is not resumed on the new one, which can be rewritten", async () => {
  const definition = await bench.stale(20);
  const { id } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 10 });
  await bench.rewritten(definition, id, 5);
  expect(await replaced(definition)).toMatchObject({ state: "current" });
  await expect(resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", counts: { total: 3 } });
  expect((await readRecord(definition)).runs).toHaveLength(1);
});

// Without it, the new definition is blocked for what the engine did to the old one, and the cancel adds v1beta1 to its list.
test("nothing is repaired in the new one that the cluster's own engine removed from the old one's list", async () => {
  const definition = await bench.stale(3);
  const { id } = await bench.start(definition, { engine: "in-tree" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("pending");
  expect(await replaced(definition)).not.toMatchObject({ state: "blocked" });
  await expect(cancelRewrite(bench.connection, definition.name, id, soon())).rejects.toMatchObject({ code: "not_found" });
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
});

/** Replaced while nobody works on it. As it is shown then. */
async function replaced(definition: SampleDefinition) {
  await stopAllRuns();
  await replaceDefinition(api, definition, { annotated: true });
  await definition.createObjects("v1", 3);
  const detail = () => readDetail(bench.connection, definition.name, soon());
  await expect.poll(async () => (await detail()).uid).toBe((await definition.read()).metadata.uid);
  expect((await readHistory(bench.connection, definition.name, soon())).items).toEqual([]);
  const shown = await detail();
  expect(shown).toMatchObject({ run: null, proof: null, lastPrune: null });
  return shown;
}
