import { expect, test } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

const { api, cluster, connection, dryRun, rewrite, stale } = await openTestBench();

// Without withoutDoubted (update-record.ts) the proof outlives the doubt that disproves it, and the prune answers 200.
test("a replica with an older crdshift that drops the doubt doesn't make the prune allowed", async () => {
  const definition = await stale(3);
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  const prune = () => pruneStoredVersions(connection, definition.name, definition.name, soon());
  // As if that crdshift had run the rewrite that found the object, so that the proof is still there, and five that found nothing.
  const record = await readRecord(definition);
  await writeRecord(api, definition, { ...record, runs: [], doubt: { rejected: 0 } });
  await expect(prune()).rejects.toMatchObject({
    message: expect.stringContaining(
      "a later rewrite found objects stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy",
    ),
  });
  // Any write of this crdshift does.
  await dryRun(definition);
  const { doubt, ...stripped } = await readRecord(definition);
  expect(doubt).not.toBeNull();
  await writeRecord(api, definition, { ...stripped, runs: [], doubt: null });
  await expect(prune()).rejects.toMatchObject({ message: "v1beta1 is unproven." });
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

// Without unwritableRecord in remember (start-dry-run.ts) the dry run's record takes the place of all that the newer crdshift recorded.
test("a newer crdshift's record is left alone by a dry run, which says so", async () => {
  const definition = await stale(1);
  const annotation = () => definition.read().then(({ metadata }) => metadata.annotations?.["crdshift.dev/rewrite"]);
  const newer = JSON.stringify({ holder: null, runs: "in a way of its own" });
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": newer } } });
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  await expect.poll(() => now().phase, { timeout: 30_000 }).toBe("succeeded");
  expect(now().message).toMatch(/^These findings couldn't be recorded\. This crdshift can't read the annotation/);
  expect(await annotation()).toBe(newer);
});

// If the signature didn't cover it (claimOf in evidence-signature.ts) the dry run would be believed, whatever mutates.
test("a dry run that lost what was in admission is made again", async () => {
  const definition = await stale(3);
  const { id } = await dryRun(definition);
  const record = await readRecord(definition);
  expect(record.dryRun).toMatchObject({ id, admission: "" });
  await writeRecord(api, definition, { ...record, dryRun: record.dryRun && { ...record.dryRun, admission: null } });
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "succeeded" });
  expect(run.dryRun).not.toBe(id);
});
