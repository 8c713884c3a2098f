import { expect, test } from "vitest";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { benchIn } from "#lib/rewrite/testing/bench-in.ts";
import { statusWriteOf } from "#lib/rewrite/testing/fault-test.ts";
import { soon } from "#lib/rewrite/testing/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/own-cluster.ts";
import type { TestBench } from "#lib/rewrite/testing/test-bench.ts";

// Answers that are lost as crdshift cleans up after the cluster's own engine. The test does what that engine's controller would.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const { cluster, api } = await ownCluster();
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

/** A delegated run whose engine has shortened the list, and of whose repair the answer will be lost. */
async function shortened() {
  const proxy = await faultProxy(cluster);
  const bench = await benchIn({ cluster, api }, { server: proxy.server });
  const definition = await bench.stale(2);
  const { id } = await bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  const migration = migrationName(id, 2);
  await expect.poll(inTree.names).toContain(migration);
  await inTree.say(migration, { type: "Running" });
  await expect.poll(async () => (await bench.run(definition, id)).delegation?.phase).toBe("running");
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
  const lost = proxy.inject(statusWriteOf(definition), { kind: "reset", when: "after" }, 1);
  return { bench, definition, id, migration, lost };
}

async function repairsOf({ connection }: TestBench, { name }: SampleDefinition): Promise<string[]> {
  await untilRecorded();
  const { items } = await readHistory(connection, name, soon());
  return items.filter(({ kind }) => kind === "repaired").map(({ message }) => message);
}

const repaired = "Repaired status.storedVersions: added v1beta1, removed without proof.";

// Without writtenUnanswered (repair-stored-versions.ts) the next attempt finds nothing missing, and the repair is told nowhere.
test("a repair whose answer is lost is told as the repair that it was", async () => {
  const { bench, definition, id, migration, lost } = await shortened();
  await inTree.say(migration, { type: "Running", status: "False" }, { type: "Failed", message: "no" });
  expect(await bench.endOf(definition, id)).toMatchObject({ delegation: { phase: "failed", putBack: ["v1beta1"] } });
  expect(lost.hits()).toBe(1);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await repairsOf(bench, definition)).toEqual([repaired]);
});

// Without it the verdict says that crdshift couldn't check the list, for at a run's end there is no next attempt.
test("so is that of a run that is cancelled", async () => {
  const { bench, definition, id, lost } = await shortened();
  const cancelled = await cancelRewrite(bench.connection, definition.name, id, soon());
  expect(lost.hits()).toBe(1);
  expect(cancelled).toMatchObject({ phase: "cancelled", statusReason: "Cancelled.", delegation: { putBack: ["v1beta1"] } });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await repairsOf(bench, definition)).toEqual([repaired]);
});
