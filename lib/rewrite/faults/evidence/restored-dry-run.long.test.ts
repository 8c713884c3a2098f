import { expect, test } from "vitest";
import { sleep } from "#lib/async/sleep.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { restorableCluster } from "#lib/rewrite/testing/clusters/restorable-cluster.ts";

const OBJECTS = 48;
const text = { type: "string" };
const versions = (storage: string) => [
  { name: "v1", storage: storage === "v1", properties: { note: text } },
  { name: "v1beta1", storage: storage === "v1beta1", properties: { note: text, color: text } },
];

// The one object with a color is deleted after the backup, so the dry run doesn't see it, and the restore brings it back. Without laterThan
// in dryRunFault (valid-evidence.ts) or isUndone in withOwnEvidence (evidence-signature.ts) the rewrite believes the dry run, whose list is
// above the restored object's resourceVersion, and deletes the color.
test("a dry run during which etcd was restored is not believed", async () => {
  const { bench, definition, backUp, grow, goBack } = await restorableCluster(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ note: "n", ...(index === 0 && { color: "precious" }) }));
  await definition.flip(versions("v1"));
  await backUp();
  const { api, connection } = bench;
  await api.delete(definition.path("v1", { name: objectName(0) }));
  await grow();
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  while (now().dryRun.checked < 3) await sleep(2, soon());
  const etcd = goBack();
  await expect.poll(() => now().phase, { timeout: 90_000 }).not.toBe("running");
  const restored = async () => (await readDetail(connection, definition.name, soon())).restoredEtcd;
  await expect.poll(restored, { timeout: 90_000, interval: 500 }).not.toBeNull();
  const run = await bench.rewrite(definition).catch((error: unknown) => error);
  expect(run).not.toMatchObject({ phase: "succeeded" });
  expect((await definition.storedValues(etcd)).get(objectName(0))?.text).toContain("precious");
});
